import { toHeddleError } from '../../core/errors.ts'
import type { EngineHealth, Transaction } from './engine.ts'
import type { Statement } from './statement.ts'

const SELECT_VERSIONS: Statement = {
  name: 'health.select_versions',
  text: `
    select current_setting('server_version') as version,
      (select extversion from pg_extension where extname = 'vector') as vector_version,
      (select max(version) from heddle_migration.applied) as schema_version`,
  values: [],
}

/** Asks the database for its versions; a failure is part of the answer, not thrown. */
export async function readHealth(
  run: <T>(fn: (tx: Transaction) => Promise<T>) => Promise<T>,
): Promise<EngineHealth> {
  try {
    const [row] = await run((tx) => tx.query(SELECT_VERSIONS))
    const { version, vector_version: vectorVersion, schema_version: schemaVersion } = row ?? {}
    return {
      ok: true,
      ...(typeof version === 'string' && { version }),
      ...(typeof vectorVersion === 'string' && { vectorVersion }),
      ...(typeof schemaVersion === 'number' && { schemaVersion }),
    }
  } catch (error) {
    return { ok: false, code: toHeddleError(error).code }
  }
}
