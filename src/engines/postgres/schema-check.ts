import { HeddleError } from '../../core/errors.ts'
import { NO_SCOPES } from '../../identity/scope.ts'
import type { PostgresEngine, TransactionOptions } from './engine.ts'
import { readMigrations } from './migration-files.ts'
import { sqlStateOf } from './sql-failure.ts'

/** The ledger, its schema, or the right to read it is missing: nothing was ever applied here. */
const NO_LEDGER: ReadonlySet<string> = new Set(['42P01', '3F000', '42501'])

/**
 * For programs that serve without migrating: compares the schema with what this program knows.
 *
 * @throws HeddleError `SCHEMA_BEHIND`, `SCHEMA_NEWER`
 */
export async function assertSchemaCurrent(
  engine: PostgresEngine,
  options: TransactionOptions,
): Promise<void> {
  const known = (await readMigrations()).map(({ version }) => version)
  const applied = await readVersions(engine, options)
  const unknown = applied.filter((version) => !known.includes(version))
  const missing = known.filter((version) => !applied.includes(version))
  if (unknown.length > 0) throw new HeddleError('SCHEMA_NEWER', { details: { versions: unknown } })
  if (missing.length > 0) throw new HeddleError('SCHEMA_BEHIND', { details: { versions: missing } })
}

async function readVersions(
  engine: PostgresEngine,
  options: TransactionOptions,
): Promise<number[]> {
  try {
    const access = { read: NO_SCOPES, write: NO_SCOPES }
    const rows = await engine.withTransaction(access, { ...options, readOnly: true }, (tx) =>
      tx.query({
        name: 'migration.select_versions',
        text: 'select version from heddle_migration.applied order by version',
        values: [],
      }),
    )
    return rows.map((row) => Number(row['version']))
  } catch (error) {
    const isRefused = error instanceof HeddleError && error.code === 'ENGINE_LOGIN_REFUSED'
    if (!isRefused && NO_LEDGER.has(sqlStateOf(error) ?? '')) return []
    throw error
  }
}
