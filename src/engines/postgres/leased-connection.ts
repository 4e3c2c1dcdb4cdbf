import type pg from 'pg'

import { HeddleError } from '../../core/errors.ts'
import { classifyError, type TransactionPhase } from './classify-error.ts'
import { breakConnection } from './connection-pool.ts'
import type { Row } from './engine.ts'
import type { EngineTarget } from './engine-target.ts'

/** How long a cancelled statement or a rollback may take before the connection is cut. */
const CLEANUP_MS = 2_000

export interface Waiting {
  readonly phase: TransactionPhase
  /** Name of the statement, for errors. */
  readonly name?: string
  /** When to ask why no answer comes, in milliseconds. */
  readonly silenceMs: number
}

/**
 * One connection while a transaction holds it. Whatever happens it goes back exactly once: clean, or
 * cut when its state is not known.
 */
export class LeasedConnection {
  readonly client: pg.PoolClient
  readonly #target: EngineTarget
  #broken: unknown
  #cancelling: Promise<void> | undefined
  #cancelLimit: NodeJS.Timeout | undefined
  #isWaiting = false
  readonly #onError = (error: Error): void => {
    this.#broken ??= error
  }

  constructor(client: pg.PoolClient, target: EngineTarget) {
    this.client = client
    this.#target = target
    // The pool listens only while the connection is idle.
    client.on('error', this.#onError)
  }

  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** Runs `query` and waits for its answer, as long as somebody is there to give one. */
  async send(query: string | pg.QueryConfig, waiting: Waiting): Promise<pg.QueryResult<Row>> {
    const { phase, name, silenceMs } = waiting
    if (this.#broken !== undefined) throw classifyError(this.#broken, phase, name)
    const stopWatch = this.#watchSilence(phase, silenceMs)
    this.#isWaiting = true
    try {
      return await this.client.query<Row>(query)
    } catch (error) {
      throw classifyError(this.isBroken ? this.#broken : error, phase, name)
    } finally {
      stopWatch()
      this.#isWaiting = false
      // A cancel request that is still on its way could hit the next statement.
      await this.#cancelling
      this.#cancelling = undefined
      clearTimeout(this.#cancelLimit)
    }
  }

  /** Cuts the connection; whoever waits for an answer gets `reason`. */
  break(reason: HeddleError): void {
    this.#broken ??= reason
    breakConnection(this.client)
  }

  /** Ends the statement in flight, if there is one, by asking or, where that is not possible, by cutting. */
  cancel(): void {
    if (this.#isWaiting) this.#cancelling ??= this.#cancel()
  }

  /** Rolls back and gives the connection back; never throws. */
  async rollback(): Promise<void> {
    if (this.#broken !== undefined) {
      this.release()
      return
    }
    const limit = setTimeout(
      () => this.break(new HeddleError('ENGINE_CONNECTION_LOST')),
      CLEANUP_MS,
    )
    try {
      await this.client.query('rollback')
    } catch (error) {
      this.#broken ??= error
    } finally {
      clearTimeout(limit)
    }
    this.release()
  }

  release(): void {
    // Cut first: the pool would say goodbye and wait for an answer, its waiting calls with it.
    if (this.#broken !== undefined) breakConnection(this.client)
    this.client.off('error', this.#onError)
    this.client.release(this.#broken !== undefined)
  }

  async #cancel(): Promise<void> {
    const isTold = await this.#target.cancelStatement(this.client)
    if (!isTold) this.break(new HeddleError('CANCELLED'))
    else this.#cancelLimit = setTimeout(() => this.break(new HeddleError('CANCELLED')), CLEANUP_MS)
  }

  #watchSilence(phase: TransactionPhase, silenceMs: number): () => void {
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const arm = (): void => {
      timer = setTimeout(() => void check(), silenceMs)
    }
    const check = async (): Promise<void> => {
      const explanation = await this.#target.explainSilence(phase)
      if (isOver) return
      if (explanation === undefined) arm()
      else this.break(explanation)
    }
    arm()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }
}
