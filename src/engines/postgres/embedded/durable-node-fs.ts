import { fsyncSync } from 'node:fs'

import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type InitOptions = Parameters<NodeFS['init']>[1]

/** What is touched of the file system inside the WebAssembly module. */
interface NodeFsModule {
  readonly FS: {
    readonly filesystems: {
      readonly NODEFS: { readonly stream_ops: { fsync?: (stream: { nfd: number }) => number } }
    }
  }
}

/** The server's settings that make it call fsync; the module's fdatasync does nothing. */
export const DURABLE_START_PARAMS = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'] as const

/**
 * The files of an embedded database, with what PGlite's own lacks: fsync reaches the disk, so a
 * commit that was acknowledged outlives a loss of power and not only the end of the process.
 */
export class DurableNodeFs extends NodeFS {
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
}
