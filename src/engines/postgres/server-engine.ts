import { HeddleError } from '../../core/errors.ts'
import { sendCancelRequest } from './cancel-request.ts'
import type { ServerEngineConfig } from './config.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { EngineTarget } from './engine-target.ts'
import { loginOf } from './ensure-login.ts'
import { PooledEngine } from './pooled-engine.ts'

/** Beyond the statement limit, which the server itself keeps: after that the connection is taken for dead. */
const SILENCE_MARGIN_MS = 5_000
/** The owner migrates and administers; it never serves. */
const OWNER_POOL_SIZE = 2

const SERVER_TARGET: EngineTarget = {
  capabilities: Object.freeze({ concurrentTransactions: true, remote: true }),
  recover: () => Promise.resolve(),
  silenceMs: (statementTimeoutMs) => statementTimeoutMs + SILENCE_MARGIN_MS,
  explainSilence: (phase) =>
    Promise.resolve(phase === 'begin' ? undefined : new HeddleError('ENGINE_CONNECTION_LOST')),
  cancelStatement: sendCancelRequest,
  close: () => Promise.resolve(),
}

/**
 * Opens a PostgreSQL server; connections are made when they are first needed. Neither migrates nor
 * checks the schema: see `migrate` and `assertSchemaCurrent`.
 */
export function openServerEngine(config: ServerEngineConfig): PooledEngine {
  const { appUrl, ownerUrl, poolSize, connectTimeoutMs, logger } = config
  const settings = { connectTimeoutMs, logger }
  const appPool = new ConnectionPool(
    { connectionString: appUrl },
    { ...settings, max: poolSize, setting: 'DATABASE_URL' },
  )
  const ownerPool =
    ownerUrl === undefined
      ? undefined
      : new ConnectionPool(
          { connectionString: ownerUrl },
          { ...settings, max: OWNER_POOL_SIZE, setting: 'DATABASE_OWNER_URL' },
        )
  const appLogin = loginOf(appUrl)
  return new PooledEngine({
    target: SERVER_TARGET,
    appPool,
    ...(ownerPool !== undefined && { ownerPool }),
    ...(appLogin !== undefined && { appLogin }),
    statementTimeoutMs: config.statementTimeoutMs,
    connectTimeoutMs,
    idleInTransactionMs: config.idleInTransactionMs,
  })
}
