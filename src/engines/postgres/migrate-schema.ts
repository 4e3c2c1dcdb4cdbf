import { HeddleError, toHeddleError } from '../../core/errors.ts'
import type { EngineRole } from './begin-statement.ts'
import type { MigrationReport } from './engine.ts'
import { ensureExtensions } from './extensions.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import {
  type AppliedMigration,
  ensureLedger,
  findLeftovers,
  insertIntoLedger,
  lockLedger,
  readLedger,
  runMigration,
} from './migration-ledger.ts'
import type { PgTransaction } from './pg-transaction.ts'
import { ensureRoles } from './roles.ts'

/** Runs `fn` in a transaction of its own under that role. */
export type RunAs = <T>(role: EngineRole, fn: (tx: PgTransaction) => Promise<T>) => Promise<T>

type AppliedStep = MigrationReport['applied'][number]

/**
 * Brings roles, extensions and schema to what this program needs. Every migration is a transaction
 * of its own, in which its ledger row comes first, under a lock: two processes that start at once do
 * each step once, and running again changes nothing.
 *
 * @throws HeddleError `SCHEMA_NEWER` when the database knows a migration that this program does not;
 * `MIGRATION_FAILED` when one does not apply, has another text than when it was applied, or comes
 * before one that was applied.
 */
export async function migrateSchema(
  runAs: RunAs,
  known?: readonly Migration[],
): Promise<MigrationReport> {
  const migrations = known ?? (await readMigrations())
  await ensureRoles(runAs)
  await ensureExtensions(runAs)
  const applied = await runAs('heddle_owner', async (tx) => {
    await lockLedger(tx)
    await ensureLedger(tx)
    return readLedger(tx)
  })
  const steps: AppliedStep[] = []
  for (const migration of planMigrations(migrations, applied)) {
    const step = await applyMigration(runAs, migrations, migration)
    if (step !== undefined) steps.push(step)
  }
  const to = migrations.at(-1)?.version ?? 0
  return { from: (steps[0] ? applied.at(-1)?.version : to) ?? 0, to, applied: steps }
}

/**
 * The migrations that are still to be applied; pure.
 *
 * @throws HeddleError `SCHEMA_NEWER`, `MIGRATION_FAILED`
 */
export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const knownByVersion = new Map(known.map((migration) => [migration.version, migration]))
  const newer = applied.filter(({ version }) => !knownByVersion.has(version))
  if (newer.length > 0) {
    const details = {
      versions: newer.map(({ version }) => version),
      known: known.at(-1)?.version ?? 0,
    }
    throw new HeddleError('SCHEMA_NEWER', { details })
  }
  for (const { version, name, sha256 } of applied) {
    if (knownByVersion.get(version)?.sha256 !== sha256) {
      throw failure(version, name, 'its text is not the one that was applied')
    }
  }
  const done = new Set(applied.map(({ version }) => version))
  const last = applied.at(-1)?.version ?? 0
  const pending = known.filter(({ version }) => !done.has(version))
  for (const { version, name } of pending) {
    if (version < last) throw failure(version, name, `number ${String(last)} was applied before it`)
  }
  return pending
}

async function applyMigration(
  runAs: RunAs,
  known: readonly Migration[],
  migration: Migration,
): Promise<AppliedStep | undefined> {
  const { version, name } = migration
  const startedAt = performance.now()
  try {
    return await runAs('heddle_owner', async (tx) => {
      await lockLedger(tx)
      // Another process may have come first while this one waited for the lock.
      if (!planMigrations(known, await readLedger(tx)).includes(migration)) return undefined
      await insertIntoLedger(tx, migration)
      await runMigration(tx, migration)
      const leftover = await findLeftovers(tx, version)
      if (leftover !== undefined) throw failure(version, name, leftover)
      return { version, name, ms: Math.round(performance.now() - startedAt) }
    })
  } catch (error) {
    throw toMigrationError(migration, error)
  }
}

function toMigrationError({ version, name }: Migration, thrown: unknown): HeddleError {
  const error = toHeddleError(thrown)
  if (error.code !== 'ENGINE_FAILED') return error
  const reason = error.cause instanceof Error ? error.cause.message : error.code
  return failure(version, name, reason, error)
}

function failure(version: number, name: string, reason: string, cause?: unknown): HeddleError {
  return new HeddleError('MIGRATION_FAILED', {
    message: `Migration ${String(version).padStart(6, '0')}-${name}: ${reason}.`,
    details: { version, name },
    cause,
  })
}
