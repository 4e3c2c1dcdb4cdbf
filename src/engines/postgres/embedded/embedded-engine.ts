import { HeddleError } from '../../../core/errors.ts'
import type { EmbeddedEngineConfig } from '../config.ts'
import { ConnectionPool } from '../connection-pool.ts'
import { PooledEngine } from '../pooled-engine.ts'
import { prepareDataFolder } from './data-folder.ts'
import { connectionTo } from './folder-host.ts'
import { FolderMember } from './folder-member.ts'
import { MAX_SOCKET_PATH_BYTES, socketFolderOf, socketPathOf } from './socket-folder.ts'

/**
 * Postgres in WebAssembly does notice that a transaction stood idle, and then ends its one session in
 * a way that never returns; the gate keeps this limit.
 */
const LEFT_TO_THE_HOST = 0

/**
 * Opens a data folder, which is made when it is missing, and brings its schema up to date. The first
 * process that opens it hosts the database; later ones use that host and take its place when it is
 * gone.
 *
 * @throws HeddleError `DATA_FOLDER_UNUSABLE`, `ENGINE_UNAVAILABLE`, `ENGINE_HOST_UNRESPONSIVE`,
 * `SCHEMA_NEWER`, `MIGRATION_FAILED`
 */
export async function openEmbeddedEngine(config: EmbeddedEngineConfig): Promise<PooledEngine> {
  const realDataDir = await prepareDataFolder(config.dataDir)
  const socketFolder = socketFolderOf(realDataDir)
  if (Buffer.byteLength(socketPathOf(socketFolder)) > MAX_SOCKET_PATH_BYTES) {
    throw new HeddleError('INTERNAL', { message: 'The path of the socket is too long.' })
  }
  const member = new FolderMember({ config, realDataDir, socketFolder })
  const { poolSize, connectTimeoutMs, logger } = config
  const connection = connectionTo(socketFolder, 'heddle')
  const pool = new ConnectionPool(connection, { max: poolSize, connectTimeoutMs, logger })
  const engine = new PooledEngine({
    ...config,
    target: member,
    appPool: pool,
    ownerPool: pool,
    idleInTransactionMs: LEFT_TO_THE_HOST,
  })
  try {
    await join(engine, member, config.startTimeoutMs)
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Hosts, or waits for the host; one that is initialising a new folder says so and is waited for. */
async function join(
  engine: PooledEngine,
  member: FolderMember,
  startTimeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  for (;;) {
    await member.recover()
    try {
      // The host may run an older program than this one; what this process hosts it has migrated.
      if (!member.isHost) await engine.migrate({})
      return
    } catch (error) {
      const isStarting = error instanceof HeddleError && error.code === 'ENGINE_UNAVAILABLE'
      if (!isStarting || performance.now() >= deadline) throw error
    }
  }
}
