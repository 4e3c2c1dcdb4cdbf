import { AsyncLocalStorage } from 'node:async_hooks'

import { HeddleError } from '../../core/errors.ts'
import { beginText, type EngineRole } from './begin-statement.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type {
  EngineCapabilities,
  EngineHealth,
  MigrationReport,
  PostgresEngine,
  Transaction,
  TransactionAccess,
  TransactionOptions,
} from './engine.ts'
import type { EngineTarget } from './engine-target.ts'
import { ensureLogin, type Login } from './ensure-login.ts'
import { explainRefusal, ownerMissing } from './explain-refusal.ts'
import { readHealth } from './health.ts'
import type { LeasedConnection } from './leased-connection.ts'
import { migrateSchema, type RunAs } from './migrate-schema.ts'
import { openConnection } from './open-connection.ts'
import { PgTransaction } from './pg-transaction.ts'

export interface PooledEngineDeps {
  readonly target: EngineTarget
  readonly appPool: ConnectionPool
  /** Connections that may act as the owner; the same pool where everybody may. */
  readonly ownerPool?: ConnectionPool
  /** User and password with which the serving role shall be able to log in. */
  readonly appLogin?: Login
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
  /** What the database itself is told; 0 leaves it to the host. */
  readonly idleInTransactionMs: number
}

/** Migrations build indexes over what is stored, and wait for each other. */
const MIGRATION_STATEMENT_MS = 15 * 60_000

/** How one transaction is opened. */
export interface TransactionPlan {
  readonly role: EngineRole
  readonly access?: TransactionAccess
}

/** The engine over a driver pool, embedded and server alike. */
export class PooledEngine implements PostgresEngine {
  readonly capabilities: EngineCapabilities
  readonly #deps: PooledEngineDeps
  /** What the current call holds; work that outlives its transaction finds it not open. */
  readonly #held = new AsyncLocalStorage<{ isOpen: boolean }>()
  readonly #inFlight = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(deps: PooledEngineDeps) {
    this.#deps = deps
    this.capabilities = deps.target.capabilities
  }

  withTransaction<T>(
    access: TransactionAccess,
    options: TransactionOptions,
    fn: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.run({ role: 'heddle_app', access }, options, fn)
  }

  withDispatch<T>(options: TransactionOptions, fn: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run({ role: 'heddle_dispatch' }, options, fn)
  }

  withOwner<T>(options: TransactionOptions, fn: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run({ role: 'heddle_owner' }, options, fn)
  }

  async migrate(options: TransactionOptions): Promise<MigrationReport> {
    const limits = { statementTimeoutMs: MIGRATION_STATEMENT_MS, ...options }
    const runAs: RunAs = (role, fn) => this.run({ role }, limits, fn)
    const report = await migrateSchema(runAs)
    const { appLogin } = this.#deps
    return appLogin === undefined
      ? report
      : { ...report, login: await ensureLogin(runAs, appLogin) }
  }

  health(options: TransactionOptions): Promise<EngineHealth> {
    return readHealth((fn) =>
      this.run({ role: 'heddle_app' }, { ...options, readOnly: true, isImpatient: true }, fn),
    )
  }

  /** Connections that serve, and calls that wait for one: for metrics. */
  get poolUsage(): ConnectionPool['usage'] {
    return this.#deps.appPool.usage
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Runs `fn` in one transaction; the parts of this room use it with roles of their own. */
  async run<T>(
    plan: TransactionPlan,
    options: TransactionOptions,
    fn: (tx: PgTransaction) => Promise<T>,
  ): Promise<T> {
    if (this.#held.getStore()?.isOpen) throw new HeddleError('ENGINE_TRANSACTION_NESTED')
    if (this.#closing !== undefined) throw new HeddleError('ENGINE_CLOSED')
    if (options.signal?.aborted) throw new HeddleError('CANCELLED')
    const work = this.#transact(plan, options, fn)
    this.#inFlight.add(work)
    try {
      return await work
    } finally {
      this.#inFlight.delete(work)
    }
  }

  async #transact<T>(
    plan: TransactionPlan,
    options: TransactionOptions,
    fn: (tx: PgTransaction) => Promise<T>,
  ): Promise<T> {
    const { signal } = options
    const statementTimeoutMs = options.statementTimeoutMs ?? this.#deps.statementTimeoutMs
    const connection = await this.#open(plan, options, statementTimeoutMs)
    const silenceMs = this.#deps.target.silenceMs(statementTimeoutMs)
    const tx = new PgTransaction(connection, { silenceMs, signal })
    const held = { isOpen: true }
    try {
      const result = await this.#held.run(held, () => fn(tx))
      await tx.commit()
      connection.release()
      return result
    } catch (error) {
      await connection.rollback()
      throw error
    } finally {
      held.isOpen = false
      tx.end()
    }
  }

  async #open(
    plan: TransactionPlan,
    options: TransactionOptions,
    statementTimeoutMs: number,
  ): Promise<LeasedConnection> {
    const { target, appPool, ownerPool, connectTimeoutMs, idleInTransactionMs } = this.#deps
    const { role, access } = plan
    const pool = role === 'heddle_owner' || role === 'none' ? ownerPool : appPool
    if (pool === undefined) throw ownerMissing()
    const { readOnly = false, isImpatient = false, signal } = options
    const begin = beginText({
      role,
      readOnly,
      statementTimeoutMs,
      idleInTransactionMs,
      ...(access !== undefined && { access }),
    })
    try {
      return await openConnection({ target, pool, isImpatient, connectTimeoutMs, signal, begin })
    } catch (error) {
      throw explainRefusal(error, pool)
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#inFlight])
    const { appPool, ownerPool = appPool } = this.#deps
    await Promise.allSettled([appPool.end(), ownerPool.end()])
    await this.#deps.target.close()
  }
}
