import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { PGlite } from '@electric-sql/pglite'

/** What is used of the file system inside the WebAssembly module. */
interface ModuleFiles {
  readdir(path: string): string[]
  lstat(path: string): { mode: number }
  isDir(mode: number): boolean
  readFile(path: string): Uint8Array
}

/**
 * Makes a new database. It is initialised in memory and written out in one go, which takes half the
 * time of initialising it in its folder; and it is written beside its place and moved there when it
 * is whole and on the disk, so that a process killed meanwhile leaves nothing that looks like one.
 */
export async function createDatabase(databaseDir: string): Promise<void> {
  const unfinished = `${databaseDir}.new`
  rmSync(unfinished, { recursive: true, force: true })
  const seed = await PGlite.create()
  try {
    await seed.exec('checkpoint')
    writeFolder(seed.Module.FS as ModuleFiles, PGlite.paths.PGDATA, unfinished)
  } finally {
    await seed.close()
  }
  renameSync(unfinished, databaseDir)
  syncFolder(dirname(databaseDir))
}

function writeFolder(files: ModuleFiles, from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  for (const name of files.readdir(from)) {
    if (name === '.' || name === '..') continue
    const path = `${from}/${name}`
    if (files.isDir(files.lstat(path).mode)) writeFolder(files, path, join(to, name))
    else writeFile(join(to, name), files.readFile(path))
  }
  syncFolder(to)
}

function writeFile(path: string, content: Uint8Array): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    for (let at = 0; at < content.length;) at += writeSync(fd, content, at)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
