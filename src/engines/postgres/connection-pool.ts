import pg from 'pg'

import type { Logger } from '../../core/logger.ts'
import { COLUMN_TYPES } from './column-types.ts'

/** How long ending a pool waits for the other side to say goodbye before it hangs up. */
const GOODBYE_MS = 1_000

export interface PoolSettings {
  readonly max: number
  /** Name of the setting that says where to connect, for messages. */
  readonly setting?: string
  readonly connectTimeoutMs: number
  readonly logger: Logger
}

/**
 * Hangs up when it cannot log in. The driver leaves the socket open when it gives up by itself (a URL
 * without the password), and the server would keep a process for it until its own limit.
 */
class PooledClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.Client> | void {
    if (callback === undefined) return super.connect()
    const told = callback as (error: Error | null, client: pg.Client) => void
    super.connect((error: Error | null) => {
      if (error !== null) this.connection.stream.destroy()
      told(error, this)
    })
  }
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** A driver pool with this engine's column types, whose end is bounded and whose idle losses are only logged. */
export class ConnectionPool {
  readonly setting: string | undefined
  readonly #pool: pg.Pool
  readonly #clients = new Set<pg.PoolClient>()
  #ending: Promise<void> | undefined

  constructor(config: pg.ClientConfig, settings: PoolSettings) {
    this.setting = settings.setting
    this.#pool = new pg.Pool({
      application_name: 'heddle',
      keepAlive: true,
      ...config,
      Client: PooledClient,
      max: settings.max,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      types: COLUMN_TYPES,
    })
    this.#pool.on('connect', (client) => this.#clients.add(client))
    this.#pool.on('remove', (client) => this.#clients.delete(client))
    // An idle connection that breaks is gone from the pool already; without a listener it would end the process.
    this.#pool.on('error', (error) => {
      const reason = 'code' in error ? String(error.code) : error.name
      settings.logger.debug('engine.idle_connection_lost', { reason })
    })
  }

  /** Who connects, and to which database. */
  get target(): { readonly user: string; readonly database: string } {
    // As the driver itself reads URL, environment and defaults.
    const { user = '', database = '' } = new pg.Client(this.#pool.options)
    return { user, database }
  }

  connect(): Promise<pg.PoolClient> {
    return this.#pool.connect()
  }

  /** Connections that exist, and calls that wait for one. */
  get usage(): { readonly total: number; readonly idle: number; readonly waiting: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool
    return { total, idle, waiting }
  }

  end(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  async #end(): Promise<void> {
    // A suspended peer never answers a goodbye.
    const hangUp = setTimeout(() => {
      for (const client of this.#clients) breakConnection(client)
    }, GOODBYE_MS)
    try {
      await this.#pool.end()
    } finally {
      clearTimeout(hangUp)
    }
  }
}

/** Cuts the connection at once; a statement that waits for its answer fails. */
export function breakConnection(client: pg.PoolClient): void {
  client.connection.stream.destroy()
}
