import type { PostgresEngine } from '../../src/engines/postgres/engine.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { resolveScopes } from '../../src/identity/resolve-scopes.ts'
import { makeScopeSet, NO_SCOPES } from '../../src/identity/scope.ts'
import { NEVER } from './heddle.ts'

const TABLES = [
  'source',
  'source_revision',
  'source_name',
  'chunk',
  'chunk_revision',
  'chunk_lineage',
  'link',
  'recall_item',
] as const

/** Every row of documents that an identity can read, by table, as text. */
export async function readDocumentRows(
  engine: PostgresEngine,
  identity: Identity,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const scopes = await resolveScopes(engine, identity, NEVER)
  const access = { read: makeScopeSet(scopes), write: NO_SCOPES }
  return engine.withTransaction(access, { readOnly: true }, async (tx) => {
    const rows: Record<string, readonly string[]> = {}
    for (const table of TABLES) {
      const text = `select row_to_json(t)::text as row from heddle.${table} t order by 1`
      const found = await tx.query({ name: `test.${table}`, text, values: [] })
      rows[table] = found.map(({ row }) => row as string)
    }
    return rows
  })
}
