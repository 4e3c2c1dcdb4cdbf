import neo4j, { type Driver, type Session } from 'neo4j-driver'

import { HeddleError } from '../../core/errors.ts'
import type { Neo4jConfig } from './config.ts'
import type { Bookmarks, CypherTransaction, Neo4jCallOptions, Neo4jResult } from './engine.ts'
import { Interruption } from './interruption.ts'
import { retryDelayMs } from './retry-delay.ts'
import {
  type AccessMode,
  type AttemptOutcome,
  attemptTransaction,
  toPauseError,
} from './transaction-attempt.ts'

export interface TransactionRunnerDeps {
  readonly driver: Driver
  readonly config: Neo4jConfig
  /** In [0, 1); spreads repetitions. */
  readonly random: () => number
}

export interface RunPolicy {
  /** Hears of each failed attempt; false ends the repetitions. */
  readonly onFailure?: (error: unknown) => boolean
}

type Work<T> = (tx: CypherTransaction) => Promise<T>

/**
 * Runs callbacks in transactions and repeats those that failed harmlessly.
 *
 * The driver's own `executeRead` and `executeWrite` are not used: they repeat a transaction whose
 * commit got no answer, they cannot be cancelled between two attempts (closing the session then
 * leaves their promise pending for ever), and they wait a whole second before the first repetition.
 */
export class TransactionRunner {
  readonly #deps: TransactionRunnerDeps
  readonly #interruptions = new Set<Interruption>()
  readonly #calls = new Set<Promise<unknown>>()
  /** Sessions being closed; one that was interrupted waits there for the server to take the reset. */
  readonly #closing = new Set<Promise<void>>()

  constructor(deps: TransactionRunnerDeps) {
    this.#deps = deps
  }

  run<T>(
    mode: AccessMode,
    options: Neo4jCallOptions,
    fn: Work<T>,
    policy: RunPolicy = {},
  ): Promise<Neo4jResult<T>> {
    const timeoutMs = options.timeoutMs ?? this.#deps.config.transactionTimeoutMs
    const interruption = new Interruption({ signal: options.signal, timeoutMs })
    this.#interruptions.add(interruption)
    const call = this.#repeat(mode, options, fn, policy, interruption).finally(() => {
      interruption.dispose()
      this.#interruptions.delete(interruption)
      this.#calls.delete(call)
    })
    this.#calls.add(call)
    return call
  }

  /** Resolves when no call is in flight. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#calls)
  }

  /** Makes the calls in flight reject with `ENGINE_CLOSED`. */
  interrupt(): void {
    for (const interruption of this.#interruptions) interruption.close()
  }

  /** Resolves when every session has given its connection back. */
  async settleSessions(): Promise<void> {
    await Promise.all(this.#closing)
  }

  async #repeat<T>(
    mode: AccessMode,
    options: Neo4jCallOptions,
    fn: Work<T>,
    { onFailure = () => true }: RunPolicy,
    interruption: Interruption,
  ): Promise<Neo4jResult<T>> {
    const startedMs = Date.now()
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(mode, options, fn, interruption)
      if (outcome.kind === 'done') return outcome.result
      const mayGoOn = onFailure(outcome.error)
      const delayMs = retryDelayMs(attempt, this.#deps.random())
      const isInTime = Date.now() - startedMs + delayMs <= this.#deps.config.maxRetryTimeMs
      if (!outcome.isRetriable || !isInTime || !mayGoOn) throw outcome.error
      this.#logRetry(outcome.error, attempt, delayMs)
      await interruption.pause(delayMs).catch((thrown: unknown) => {
        throw toPauseError(thrown)
      })
    }
  }

  async #attempt<T>(
    mode: AccessMode,
    options: Neo4jCallOptions,
    fn: Work<T>,
    interruption: Interruption,
  ): Promise<AttemptOutcome<T>> {
    const session = this.#openSession(mode, options.bookmarks)
    const outcome = await attemptTransaction({ session, mode, interruption }, fn)
    const closed = this.#close(session)
    // An interrupted caller is not kept waiting for a server that may not answer any more.
    await interruption.race(() => closed).catch(() => undefined)
    return outcome
  }

  #openSession(mode: AccessMode, bookmarks: Bookmarks = []): Session {
    const { driver, config } = this.#deps
    const sessionConfig = {
      defaultAccessMode: mode === 'read' ? neo4j.session.READ : neo4j.session.WRITE,
      bookmarks: [...bookmarks],
      ...(config.database === undefined ? {} : { database: config.database }),
    }
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- declared as a class, meant as an object
    return driver.session(sessionConfig)
  }

  /** Closing a session with an open transaction resets its connection, which ends the statement on the server. */
  #close(session: Session): Promise<void> {
    const closed = session
      .close()
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closed))
    this.#closing.add(closed)
    return closed
  }

  #logRetry(error: unknown, attempt: number, delayMs: number): void {
    const code = error instanceof HeddleError ? error.code : 'INTERNAL'
    this.#deps.config.logger.info('engine.neo4j_retry', { attempt, code, delayMs })
  }
}
