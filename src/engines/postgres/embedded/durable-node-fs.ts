import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type InitOptions = Parameters<NodeFS['init']>[1]

/** What is touched of the file system inside the WebAssembly module. */
interface NodeFsModule {
  readonly FS: {
    readonly filesystems: {
      readonly NODEFS: { readonly stream_ops: { fsync?: (stream: { nfd: number }) => number } }
    }
    lookupPath(path: string): { node: { mount: { opts: { root: string } } } }
  }
}

/** The server's settings that make it call fsync; the rest stays as PGlite starts it. */
export const DURABLE_START_PARAMS = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'] as const

/**
 * The files of an embedded database, with the two things that PGlite's own lacks:
 *
 * - fsync reaches the disk, so a commit that was acknowledged outlives a loss of power and not only
 *   the end of the process;
 * - a new database is made beside its place and moved there when it is whole, so that a process
 *   killed while initialising leaves nothing that looks like a database.
 */
export class DurableNodeFs extends NodeFS {
  readonly #finalDir: string
  readonly #isNew: boolean
  #isInPlace: boolean

  constructor(databaseDir: string) {
    const isNew = !existsSync(databaseDir)
    const startDir = isNew ? `${databaseDir}.new` : databaseDir
    if (isNew) rmSync(startDir, { recursive: true, force: true })
    super(startDir)
    if (isNew) chmodSync(startDir, 0o700)
    this.#finalDir = databaseDir
    this.#isNew = isNew
    this.#isInPlace = !isNew
  }

  override async init(pg: PGlite, options: InitOptions): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const addFsync = (module: NodeFsModule): void => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd)
        return 0
      }
    }
    const preRun = [emscriptenOpts.preRun ?? [], addFsync as (module: unknown) => void].flat()
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }

  /** PGlite calls this first when initialising is done and before the server starts. */
  override async syncToFs(): Promise<void> {
    if (this.#isInPlace) return
    this.#isInPlace = true
    if (this.#isNew) this.#moveIntoPlace()
    return Promise.resolve()
  }

  #moveIntoPlace(): void {
    syncTree(this.rootDir)
    renameSync(this.rootDir, this.#finalDir)
    syncFolder(dirname(this.#finalDir))
    // Every path is made from this root when it is used.
    const module = this.pg?.Module as unknown as NodeFsModule
    module.FS.lookupPath(PGlite.paths.PGDATA).node.mount.opts.root = this.#finalDir
    this.rootDir = this.#finalDir
  }
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else syncFile(path)
  }
  syncFolder(folder)
}

const syncFolder = syncFile

function syncFile(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
