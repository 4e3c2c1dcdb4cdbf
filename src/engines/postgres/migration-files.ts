import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

import { HeddleError } from '../../core/errors.ts'

/** One numbered step of the schema. Its text never changes once it was applied somewhere. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
  readonly sha256: string
  /** Programs that do not know it cannot work with the schema. Said by a first line `-- breaking`. */
  readonly isBreaking: boolean
}

const FILE_NAME = /^(\d{6})-([a-z0-9]+(?:-[a-z0-9]+)*)\.sql$/

/** The folder beside this file; the build copies it. */
const FOLDER = new URL('./migrations/', import.meta.url)

let ownMigrations: Promise<readonly Migration[]> | undefined

/** The migrations that this program was built with, in order. */
export function readMigrations(): Promise<readonly Migration[]> {
  ownMigrations ??= readFolder(FOLDER)
  return ownMigrations
}

async function readFolder(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(
    names.map(async (name) => makeMigration(name, await readFile(new URL(name, folder), 'utf8'))),
  )
  for (const [index, { version }] of migrations.entries()) {
    if (migrations[index + 1]?.version === version) {
      throw new HeddleError('MIGRATION_FAILED', {
        message: `Two migrations have number ${String(version)}.`,
      })
    }
  }
  return migrations
}

/** @throws HeddleError `MIGRATION_FAILED` when the name is not `NNNNNN-what-it-does.sql`. */
export function makeMigration(fileName: string, text: string): Migration {
  const match = FILE_NAME.exec(fileName)
  if (match === null) {
    throw new HeddleError('MIGRATION_FAILED', {
      message: `"${fileName}" is not a migration's name: NNNNNN-what-it-does.sql`,
    })
  }
  return {
    version: Number(match[1]),
    name: match[2] ?? '',
    text,
    sha256: createHash('sha256').update(text).digest('hex'),
    isBreaking: /^--\s*breaking\b/.test(text),
  }
}
