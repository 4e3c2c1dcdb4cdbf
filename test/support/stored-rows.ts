import { createHash } from 'node:crypto'

import type { PostgresEngine, Transaction } from '../../src/engines/postgres/engine.ts'

const TABLES = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'heddle' and c.relkind in ('r', 'p') order by 1`

/** Undoes the lifting of row-level security. */
class Done extends Error {}

/** Every row of every table, whoever it belongs to, as text. */
export async function readAllRows(
  engine: PostgresEngine,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = new Map<string, readonly string[]>()
  const walk = async (tx: Transaction): Promise<never> => {
    for (const { name } of await tx.query({ name: 'test.tables', text: TABLES, values: [] })) {
      const table = String(name)
      await tx.execute({
        name: 'test.lift',
        text: `alter table heddle.${table} no force row level security`,
        values: [],
      })
      const found = await tx.query({
        name: 'test.rows',
        text: `select t::text as row from heddle.${table} t order by 1`,
        values: [],
      })
      rows.set(
        table,
        found.map(({ row }) => String(row)),
      )
    }
    throw new Done()
  }
  await engine.withOwner({}, walk).catch((error: unknown) => {
    if (!(error instanceof Done)) throw error
  })
  return rows
}

/** The tables in which a text, or its plain SHA-256 in any usual form, stands. */
export async function findTraces(
  engine: PostgresEngine,
  texts: readonly string[],
): Promise<readonly string[]> {
  const needles = texts.flatMap((text) => {
    const hash = createHash('sha256').update(text, 'utf8')
    const bytes = hash.digest()
    return [text, bytes.toString('hex'), bytes.toString('base64')]
  })
  const rows = await readAllRows(engine)
  return [...rows].flatMap(([table, lines]) => {
    const held = needles.filter((needle) => lines.some((line) => line.includes(needle)))
    return held.map((needle) => `${table}: ${needle}`)
  })
}

/** Changes rows as nobody can who serves: as the owner, past row-level security. */
export async function tamper(engine: PostgresEngine, table: string, text: string): Promise<number> {
  const run = (tx: Transaction, statement: string): Promise<number> =>
    tx.execute({ name: 'test.tamper', text: statement, values: [] })
  return engine.withOwner({}, async (tx) => {
    await run(tx, `alter table heddle.${table} no force row level security`)
    const changed = await run(tx, text)
    await run(tx, `alter table heddle.${table} force row level security`)
    return changed
  })
}
