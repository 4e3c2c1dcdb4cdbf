import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { PGlite } from '@electric-sql/pglite'

import { readSeed, type Seed } from './seed.ts'

/** What is used of the file system inside the WebAssembly module. */
interface ModuleFiles {
  readdir(path: string): string[]
  lstat(path: string): { mode: number }
  isDir(mode: number): boolean
  readFile(path: string): Uint8Array
}

/**
 * Makes a new database from the seed of the build, or without one by initialising a cluster in memory,
 * which takes seconds. It is written beside its place and moved there when it is whole and on the disk,
 * so that a process killed meanwhile leaves nothing that looks like one.
 */
export async function createDatabase(databaseDir: string): Promise<void> {
  const unfinished = `${databaseDir}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const seed = readSeed() ?? (await makeSeed())
  for (const { path, content } of seed) {
    if (content === undefined) mkdirSync(join(unfinished, path), { mode: 0o700 })
    else writeFile(join(unfinished, path), content)
  }
  for (const { path, content } of seed)
    if (content === undefined) syncFolder(join(unfinished, path))
  syncFolder(unfinished)
  renameSync(unfinished, databaseDir)
  syncFolder(dirname(databaseDir))
}

/** Initialises a cluster in memory and takes it out, folders before what is in them. */
export async function makeSeed(): Promise<Seed> {
  const cluster = await PGlite.create()
  try {
    await cluster.exec('checkpoint')
    return readFolder(cluster.Module.FS as ModuleFiles, PGlite.paths.PGDATA, '')
  } finally {
    await cluster.close()
  }
}

function readFolder(files: ModuleFiles, from: string, below: string): Seed {
  const names = files.readdir(from).filter((name) => name !== '.' && name !== '..')
  return names.flatMap((name) => {
    const [source, path] = [`${from}/${name}`, join(below, name)]
    if (!files.isDir(files.lstat(source).mode)) return [{ path, content: files.readFile(source) }]
    return [{ path }, ...readFolder(files, source, path)]
  })
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
