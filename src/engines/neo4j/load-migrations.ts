import { readdir, readFile } from 'node:fs/promises'

import { type Migration, parseMigrations } from './migration.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/**
 * Reads the graph's numbered migrations in order.
 *
 * @throws HeddleError `MIGRATION_FAILED` when a file breaks a rule or a number is missing or double.
 */
export async function loadMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.cypher'))
  return parseMigrations(
    await Promise.all(
      names.map(async (name) => ({ name, text: await readFile(new URL(name, FOLDER), 'utf8') })),
    ),
  )
}
