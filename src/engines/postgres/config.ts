import type { Logger } from '../../core/logger.ts'

interface CommonConfig {
  /** Connections of the pool. */
  readonly poolSize: number
  /** Limit of one statement in milliseconds. */
  readonly statementTimeoutMs: number
  /** How long a call may wait for a connection and the answer to its BEGIN, in milliseconds. */
  readonly connectTimeoutMs: number
  /** How long a transaction may stand idle between two statements, in milliseconds. */
  readonly idleInTransactionMs: number
  readonly logger: Logger
}

/** A PostgreSQL server. TLS settings are those of the URLs. */
export interface ServerEngineConfig extends CommonConfig {
  readonly kind: 'server'
  /** Connects as `heddle_app`, or as a role that may set it. */
  readonly appUrl: string
  /** Connects as `heddle_owner` or as an administrator that may set it; needed by `migrate` and `withOwner`. */
  readonly ownerUrl?: string
}

/** A folder of this machine, served by PGlite inside one of the processes that opened it. */
export interface EmbeddedEngineConfig extends CommonConfig {
  readonly kind: 'embedded'
  readonly dataDir: string
  /** How long opening may wait for a host that is just starting (a new folder is initialised), in milliseconds. */
  readonly startTimeoutMs: number
}

export const DEFAULT_SERVER_SETTINGS = Object.freeze({
  poolSize: 10,
  statementTimeoutMs: 30_000,
  connectTimeoutMs: 5_000,
  idleInTransactionMs: 60_000,
})

/**
 * The connect limit leaves room for a takeover (5 seconds at most) and for a client that is cut
 * because it stood idle in its transaction: both happen while the others wait for their BEGIN.
 */
export const DEFAULT_EMBEDDED_SETTINGS = Object.freeze({
  poolSize: 8,
  statementTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  idleInTransactionMs: 5_000,
  startTimeoutMs: 120_000,
})
