import { randomBytes } from 'node:crypto'
import { rm, rmdir } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

import { ReleaseStack } from '../../../core/release-stack.ts'
import type { EmbeddedEngineConfig } from '../config.ts'
import { ConnectionPool } from '../connection-pool.ts'
import type { EngineTarget } from '../engine-target.ts'
import { PooledEngine } from '../pooled-engine.ts'
import type { HostLock } from './host-lock.ts'
import { HostedDatabase } from './hosted-database.ts'
import { SessionGate } from './session-gate.ts'
import { ensureSocketFolder, SOCKET_PORT, socketPathOf } from './socket-folder.ts'

/** How long a transaction of another process may go on after this host was asked to close. */
const DRAIN_MS = 5_000

export interface FolderHostOptions {
  readonly config: EmbeddedEngineConfig
  readonly realDataDir: string
  readonly socketFolder: string
  readonly lock: HostLock
  /** Called when the host ended by itself, because the database cannot be opened any more. */
  readonly onEnded: () => void
}

/** The service of one data folder, in the process that holds its lock. */
export class FolderHost {
  readonly #releases: ReleaseStack

  private constructor(releases: ReleaseStack) {
    this.#releases = releases
  }

  /**
   * Opens the database, brings its schema up to date and serves it. From the start the socket answers,
   * if only that the database is starting, so that others can tell a host at work from a suspended
   * one. The lock is released when this fails and when the host closes.
   */
  static async start(options: FolderHostOptions): Promise<FolderHost> {
    const releases = new ReleaseStack()
    releases.add(options.lock, (lock) => lock.release())
    const host = new FolderHost(releases)
    try {
      await host.#start(options)
      return host
    } catch (error) {
      await releases.close()
      throw error
    }
  }

  /** Lets the transaction at work finish, refuses the others, and hands the folder over. */
  close(): Promise<void> {
    return this.#releases.close()
  }

  async #start(options: FolderHostOptions): Promise<void> {
    const { config, realDataDir, socketFolder } = options
    const { logger, statementTimeoutMs, idleInTransactionMs } = config
    const opener = `heddle-host-${randomBytes(12).toString('hex')}`
    const opening = HostedDatabase.open(join(realDataDir, 'pg'), logger)
    void this.#releases.add(opening, (database) => database.then((opened) => opened.close()))
    // A failure is met where it is awaited below; until then it must not end the process.
    opening.catch(() => undefined)
    const onFatal = (error: unknown): void => {
      logger.error('engine.host_ended', { cause: error instanceof Error ? error.name : 'unknown' })
      options.onEnded()
    }
    const gate = new SessionGate(
      { database: opening, statementTimeoutMs, idleInTransactionMs, logger, onFatal },
      opener,
    )
    const socketPath = socketPathOf(socketFolder)
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      gate.accept(socket)
    })
    await ensureSocketFolder(socketFolder)
    // Gone again with the host, while nobody else can be one.
    this.#releases.add(socketFolder, (folder) => rmdir(folder).catch(() => undefined))
    // Left by a host that died: whoever holds the lock is the only one that may listen.
    await rm(socketPath, { force: true })
    await listen(server, socketPath)
    server.on('error', (error) => logger.warn('engine.socket_failed', { cause: error.name }))
    this.#releases.add(server, (listening) => stopListening(listening, sockets))
    this.#releases.add(gate, (accepting) => accepting.drain(DRAIN_MS))
    await opening
    await prepareSchema(config, socketFolder, opener)
    gate.open()
  }
}

/** The schema goes through the socket like everything else, as a user that only this host knows. */
async function prepareSchema(
  config: EmbeddedEngineConfig,
  socketFolder: string,
  opener: string,
): Promise<void> {
  const { logger, connectTimeoutMs } = config
  const pool = new ConnectionPool(connectionTo(socketFolder, opener), {
    max: 1,
    connectTimeoutMs,
    logger,
  })
  await using engine = new PooledEngine({
    ...config,
    target: OPENING_TARGET,
    appPool: pool,
    ownerPool: pool,
    idleInTransactionMs: 0,
  })
  await engine.migrate({})
}

const OPENING_TARGET: EngineTarget = {
  capabilities: Object.freeze({ concurrentTransactions: false, remote: false }),
  recover: () => Promise.resolve(),
  silenceMs: () => 60_000,
  explainSilence: () => Promise.resolve(undefined),
  cancelStatement: () => Promise.resolve(false),
  close: () => Promise.resolve(),
}

/** How the driver reaches the socket of a folder. */
export function connectionTo(
  socketFolder: string,
  user: string,
): { host: string; port: number; user: string; database: string; ssl: false } {
  return { host: socketFolder, port: SOCKET_PORT, user, database: 'postgres', ssl: false }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** What is left of connections is cut: a suspended client would never take its last message. */
function stopListening(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}
