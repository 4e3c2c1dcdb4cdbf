import type pg from 'pg'

import { HeddleError, toHeddleError } from '../../core/errors.ts'
import type { Row, Transaction } from './engine.ts'
import type { LeasedConnection } from './leased-connection.ts'
import type { Statement } from './statement.ts'

interface PgTransactionOptions {
  readonly silenceMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * A transaction on a leased connection. Statements run one after the other, in the order they were
 * asked for; after the first that failed the database refuses all others, and so does {@link commit}.
 */
export class PgTransaction implements Transaction {
  readonly #connection: LeasedConnection
  readonly #options: PgTransactionOptions
  #tail: Promise<unknown> = Promise.resolve()
  #failure: HeddleError | undefined
  #isOver = false
  #isCommitting = false

  constructor(connection: LeasedConnection, options: PgTransactionOptions) {
    this.#connection = connection
    this.#options = options
    options.signal?.addEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => {
    // A commit that was sent is finished: its outcome could not be told any more.
    if (!this.#isCommitting) this.#connection.cancel()
  }

  async query(statement: Statement): Promise<readonly Row[]> {
    return (await this.#enqueue(statement)).rows
  }

  async execute(statement: Statement): Promise<number> {
    return (await this.#enqueue(statement)).rowCount ?? 0
  }

  /** Runs a text of several statements without parameters (migrations). */
  async runScript(name: string, text: string): Promise<void> {
    await this.#inOrder(() => this.#send(name, text))
  }

  /** Waits for what was asked for and commits; throws the first failure when `fn` kept it to itself. */
  async commit(): Promise<void> {
    await this.#tail
    if (this.#failure !== undefined) throw this.#failure
    this.#refuseWhenAborted()
    this.#isCommitting = true
    const { silenceMs } = this.#options
    const result = await this.#connection.send('commit', {
      phase: 'commit',
      name: 'transaction.commit',
      silenceMs,
    })
    // Postgres answers the COMMIT of a failed transaction with a rollback and no error.
    if (result.command !== 'COMMIT') throw new HeddleError('ENGINE_FAILED')
  }

  /** After this the callback's leftovers get an error instead of somebody else's transaction. */
  end(): void {
    this.#isOver = true
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
  }

  #enqueue(statement: Statement): Promise<pg.QueryResult<Row>> {
    const { name, text, values } = statement
    // Always extended: the simple protocol would run several statements in one text.
    const query = { text, values: [...values], queryMode: 'extended' }
    return this.#inOrder(() => this.#send(name, query))
  }

  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(run)
    this.#tail = result.catch((error: unknown) => {
      this.#failure ??= toHeddleError(error)
    })
    return result
  }

  async #send(name: string, query: string | pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#isOver) {
      throw new HeddleError('INTERNAL', {
        message: 'The transaction is over.',
        details: { statement: name },
      })
    }
    this.#refuseWhenAborted()
    const { silenceMs } = this.#options
    try {
      return await this.#connection.send(query, { phase: 'statement', name, silenceMs })
    } catch (error) {
      this.#refuseWhenAborted(error)
      throw error
    }
  }

  #refuseWhenAborted(cause?: unknown): void {
    if (this.#options.signal?.aborted) throw new HeddleError('CANCELLED', { cause })
  }
}
