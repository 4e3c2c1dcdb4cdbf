import { HeddleError } from '../../core/errors.ts'
import type { Migration } from './migration.ts'

/** A row of the ledger. */
export interface LedgerEntry {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

/**
 * What is to be applied, in order, given what the ledger says has been. Migrations only go forward
 * and never change.
 *
 * @throws HeddleError `SCHEMA_NEWER` when the ledger knows a migration that this program does not;
 * `MIGRATION_FAILED` when an applied one has another text or name now, or one was left out below it.
 */
export function planMigrations(
  known: readonly Migration[],
  ledger: readonly LedgerEntry[],
): readonly Migration[] {
  const newest = newestVersion(ledger)
  const newestKnown = newestVersion(known)
  if (newest > newestKnown) {
    throw new HeddleError('SCHEMA_NEWER', {
      details: { engine: 'neo4j', found: newest, supported: newestKnown },
    })
  }
  const applied = new Map(ledger.map((entry) => [entry.version, entry]))
  return known.filter((migration) => {
    const entry = applied.get(migration.version)
    if (entry === undefined) {
      if (migration.version < newest) throw refused(migration, 'left_out')
      return true
    }
    if (entry.checksum !== migration.checksum || entry.name !== migration.name) {
      throw refused(migration, 'changed')
    }
    return false
  })
}

export function newestVersion(entries: readonly { readonly version: number }[]): number {
  return entries.reduce((newest, { version }) => Math.max(newest, version), 0)
}

function refused({ version, name }: Migration, reason: string): HeddleError {
  return new HeddleError('MIGRATION_FAILED', {
    details: { engine: 'neo4j', version, migration: name, reason },
  })
}
