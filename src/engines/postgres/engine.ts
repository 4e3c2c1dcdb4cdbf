import type { ScopeSet } from '../../identity/scope.ts'
import type { Provenance } from '../../provenance/provenance.ts'
import type { Statement } from './statement.ts'

/** A row as it leaves the driver: timestamps, `numeric` and `int8` as text, `json`/`jsonb` as text. */
export type Row = Readonly<Record<string, unknown>>

/** One open transaction. It dies with the callback that received it. */
export interface Transaction {
  /** Runs a statement and returns its rows. */
  query(statement: Statement): Promise<readonly Row[]>
  /** Runs a statement and returns how many rows it touched. */
  execute(statement: Statement): Promise<number>
}

/**
 * What a transaction may see and change. Row-level security holds it to that; `provenance` fills the
 * envelope columns of what it writes.
 */
export interface TransactionAccess {
  readonly read: ScopeSet
  readonly write: ScopeSet
  readonly provenance?: Provenance
}

export interface TransactionOptions {
  /**
   * Gives up the call. On a server the running statement is cancelled and the transaction rolled
   * back; embedded the connection is dropped and the statement in flight ends on its own before
   * the rollback. Rejects with `CANCELLED`.
   */
  readonly signal?: AbortSignal
  /** Limit of each statement in milliseconds; default is the engine's `statementTimeoutMs`. */
  readonly statementTimeoutMs?: number
  /** Begins the transaction read-only; default false. */
  readonly readOnly?: boolean
  /** Gives up at the second connection that fails instead of trying until the connect limit; default false. */
  readonly isImpatient?: boolean
}

export interface EngineCapabilities {
  /** False when all connections share one session and one transaction runs at a time. */
  readonly concurrentTransactions: boolean
  /** False when the data lives in a folder of this machine. */
  readonly remote: boolean
}

export interface EngineHealth {
  readonly ok: boolean
  readonly version?: string
  readonly vectorVersion?: string
  readonly schemaVersion?: number
  /** Present when not ok. */
  readonly code?: string
}

/**
 * A Postgres database with Heddle's schema, embedded or on a server. Everything runs inside
 * {@link withTransaction}: role, scopes and provenance are transaction-local and set in the same
 * round trip as BEGIN.
 *
 * Waiting is bounded: a connection that cannot be had within the connect limit is
 * `ENGINE_UNAVAILABLE` (or `ENGINE_HOST_UNRESPONSIVE`). BEGIN has no effects, so it is tried again
 * until that limit when the connection breaks under it; what follows BEGIN is never repeated here.
 */
export interface PostgresEngine extends AsyncDisposable {
  readonly capabilities: EngineCapabilities

  /**
   * Runs `fn` as `heddle_app` in one transaction: commits when it returns, rolls back when it throws.
   *
   * @throws HeddleError `ENGINE_*`, `CANCELLED`; `ENGINE_TRANSACTION_NESTED` when the same call
   * holds a transaction already.
   */
  withTransaction<T>(
    access: TransactionAccess,
    options: TransactionOptions,
    fn: (tx: Transaction) => Promise<T>,
  ): Promise<T>

  /** The same as `heddle_dispatch`, which sees ids, states and times of work rows, in all tenants, and nothing else. */
  withDispatch<T>(options: TransactionOptions, fn: (tx: Transaction) => Promise<T>): Promise<T>

  /** The same as `heddle_owner`: migrations, tenants, keys. `CONFIG_INVALID` without owner credentials. */
  withOwner<T>(options: TransactionOptions, fn: (tx: Transaction) => Promise<T>): Promise<T>

  /**
   * Applies what is missing of the schema, and on a server gives the serving role its login when it
   * has none; safe when several processes do it at once.
   */
  migrate(options: TransactionOptions): Promise<MigrationReport>

  health(options: TransactionOptions): Promise<EngineHealth>

  /** Ends the pool after the transactions in flight; harmless twice. */
  close(): Promise<void>
}

export interface MigrationReport {
  readonly from: number
  readonly to: number
  readonly applied: readonly {
    readonly version: number
    readonly name: string
    readonly ms: number
  }[]
  /** Whether the serving role may log in; absent where the URL names another user, and embedded. */
  readonly login?: LoginReport
}

export interface LoginReport {
  readonly role: string
  /** `given`: it got the password of `DATABASE_URL` just now. `missing`: this user may not give it one. */
  readonly state: 'given' | 'present' | 'missing'
}
