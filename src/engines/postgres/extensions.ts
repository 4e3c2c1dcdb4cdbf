import { HeddleError } from '../../core/errors.ts'
import type { RunAs } from './migrate-schema.ts'
import { sqlStateOf } from './sql-failure.ts'
import type { Statement } from './statement.ts'

/** What the schema needs, with the oldest version that has it. The embedded host loads the same list. */
const EXTENSIONS = [{ name: 'vector', minimum: [0, 7] }] as const

/** Made by another process in the same moment. */
const CONCURRENT: ReadonlySet<string> = new Set(['42710', '23505'])

const SELECT_EXTENSIONS: Statement = {
  name: 'extension.select_all',
  text: 'select extname, extversion from pg_extension',
  values: [],
}

/**
 * Makes the extensions where they are missing; that mostly takes a superuser.
 *
 * @throws HeddleError `MIGRATION_FAILED` naming the extension and the SQL.
 */
export async function ensureExtensions(runAs: RunAs): Promise<void> {
  const present = await readVersions(runAs)
  const missing = EXTENSIONS.filter(({ name }) => !present.has(name))
  for (const { name } of missing) await createExtension(runAs, name)
  const versions = missing.length > 0 ? await readVersions(runAs) : present
  for (const { name, minimum } of EXTENSIONS) assertVersion(name, versions.get(name), minimum)
}

async function readVersions(runAs: RunAs): Promise<Map<string, string>> {
  const rows = await runAs('none', (tx) => tx.query(SELECT_EXTENSIONS))
  return new Map(rows.map((row) => [String(row['extname']), String(row['extversion'])]))
}

async function createExtension(runAs: RunAs, name: string): Promise<void> {
  const sql = `create extension if not exists ${name}`
  try {
    await runAs('none', (tx) => tx.runScript('extension.ensure', sql))
  } catch (cause) {
    const sqlstate = sqlStateOf(cause)
    if (sqlstate === undefined) throw cause
    if (CONCURRENT.has(sqlstate)) return
    throw new HeddleError('MIGRATION_FAILED', {
      message: `The extension "${name}" is missing and this user cannot add it. Install it on the server, then an administrator has to run in this database: ${sql};`,
      details: { extension: name, sql, sqlstate },
      cause,
    })
  }
}

function assertVersion(
  name: string,
  version: string | undefined,
  minimum: readonly number[],
): void {
  const parts = (version ?? '').split('.').map(Number)
  const [major = 0, minor = 0] = parts
  const [minMajor = 0, minMinor = 0] = minimum
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return
  throw new HeddleError('MIGRATION_FAILED', {
    message: `The extension "${name}" has version ${version ?? 'none'}; ${minimum.join('.')} or newer is needed.`,
    details: { extension: name, version, minimum: minimum.join('.') },
  })
}
