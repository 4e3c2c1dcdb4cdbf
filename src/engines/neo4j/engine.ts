import type { ErrorCode } from '../../core/errors.ts'
import type { MigrationReport } from '../postgres/engine.ts'
import type { CypherRecord, CypherStatement } from './statement.ts'

/**
 * Opaque marks of how far a server has come, as the driver hands them out. Given to a later call, on
 * any process, they make that call wait until its server has caught up.
 */
export type Bookmarks = readonly string[]

/** One open transaction. It dies with the callback that received it. */
export interface CypherTransaction {
  /**
   * Runs a statement and returns all of its rows.
   *
   * @throws HeddleError `ENGINE_*`, `CANCELLED`. After a failure the transaction is lost: it is
   * rolled back even when the callback catches the error and returns.
   */
  run(statement: CypherStatement): Promise<readonly CypherRecord[]>
}

export interface Neo4jCallOptions {
  /**
   * Gives up the call, which rejects with `CANCELLED` at once. The statement in flight is not waited
   * for: its connection is reset, on which the server ends the statement and rolls back. Once the
   * commit of a write has been sent the signal is no longer heard, so a cancelled write never took effect.
   */
  readonly signal?: AbortSignal
  /** What the call must have seen, from earlier calls of any process. */
  readonly bookmarks?: Bookmarks
  /** Limit of the whole call in milliseconds, waiting and repetitions included; default `transactionTimeoutMs`. */
  readonly timeoutMs?: number
}

export interface Neo4jResult<T> {
  readonly value: T
  /** Pass them to the calls that have to see what this one saw or wrote. */
  readonly bookmarks: Bookmarks
}

/** Whether calls go through. `down` also covers a schema that this program cannot work with. */
export type Neo4jStatus =
  | { readonly state: 'up' }
  | { readonly state: 'down'; readonly code: ErrorCode; readonly reason?: string }

export type Neo4jHealth = Readonly<{
  ok: boolean
  version?: string
  edition?: string
  /** Number of the newest migration in the ledger, 0 when there is none. */
  schemaVersion?: number
  /** Present when not ok. */
  code?: ErrorCode
  reason?: string
}>

/**
 * A Neo4j server or cluster. Work happens in {@link withRead} and {@link withWrite}, each one
 * transaction in one session.
 *
 * The callback **may run again**: on failures that the driver marks as safe to repeat, until
 * `maxRetryTimeMs` is over. Nothing in it may have effects outside its transaction. A write whose
 * commit got no answer is never repeated here: it rejects with `ENGINE_CONNECTION_LOST`, and the
 * caller, who knows whether its write is idempotent, decides.
 *
 * Every wait is bounded. While the server cannot be reached calls fail at once with the code of
 * {@link status}, and a check in the background opens the way again when the server is back.
 */
export interface Neo4jEngine extends AsyncDisposable {
  /** What the last contact with the server said. Cheap; for a fresh answer ask {@link health}. */
  readonly status: Neo4jStatus

  /**
   * Runs `fn` in a transaction that the server refuses to write in; a cluster may serve it from any
   * member.
   *
   * @throws HeddleError `ENGINE_UNAVAILABLE`, `ENGINE_BUSY`, `ENGINE_STATEMENT_TIMEOUT`,
   * `ENGINE_FAILED`, `ENGINE_CLOSED`, `CANCELLED`, `SCHEMA_*`; what `fn` throws passes unchanged.
   */
  withRead<T>(
    options: Neo4jCallOptions,
    fn: (tx: CypherTransaction) => Promise<T>,
  ): Promise<Neo4jResult<T>>

  /**
   * Runs `fn` and commits when it returns, rolls back when it throws.
   *
   * @throws HeddleError as {@link withRead}, and `ENGINE_CONNECTION_LOST` when it is not known
   * whether the commit took effect.
   */
  withWrite<T>(
    options: Neo4jCallOptions,
    fn: (tx: CypherTransaction) => Promise<T>,
  ): Promise<Neo4jResult<T>>

  /**
   * Applies what is missing of the schema; safe when several processes do it at once.
   *
   * @throws HeddleError `SCHEMA_NEWER`, `MIGRATION_FAILED`, `ENGINE_*`, `CANCELLED`.
   */
  migrate(options: Pick<Neo4jCallOptions, 'signal'>): Promise<MigrationReport>

  /** Asks the server, through the whole path; never throws but for `CANCELLED` and `ENGINE_CLOSED`. */
  health(options: Pick<Neo4jCallOptions, 'signal'>): Promise<Neo4jHealth>

  /**
   * Lets the calls in flight end (at most `closeGraceMs`, then they reject with `ENGINE_CLOSED`) and
   * closes every connection; harmless twice.
   */
  close(): Promise<void>
}
