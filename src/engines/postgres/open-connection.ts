import type pg from 'pg'

import { HeddleError } from '../../core/errors.ts'
import { classifyError, isTransient } from './classify-error.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { type EngineTarget, SILENCE_PROBE_MS } from './engine-target.ts'
import { LeasedConnection } from './leased-connection.ts'

/** Between two attempts, in milliseconds: short, because a takeover or a restart ends at any moment. */
const RETRY_MS = 50

export interface OpenOptions {
  readonly target: EngineTarget
  readonly pool: ConnectionPool
  /** Text of BEGIN with its settings. */
  readonly begin: string
  readonly connectTimeoutMs: number
  /** After the first failure only one more attempt is made, whatever is left of the limit. */
  readonly isImpatient: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Takes a connection and opens the transaction on it. BEGIN has no effects, so both steps are tried
 * again until the connect limit when the connection is refused or breaks.
 *
 * @throws HeddleError `ENGINE_UNAVAILABLE`, `ENGINE_HOST_UNRESPONSIVE`, `CANCELLED`, `SCHEMA_BEHIND`.
 */
export async function openConnection(options: OpenOptions): Promise<LeasedConnection> {
  const wait = new BoundedWait(options)
  try {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(options, wait)
      } catch (error) {
        wait.throwIfOver()
        wait.noteFailure(error)
        if (!isRetryable(error) || (options.isImpatient && attempts > 1))
          throw classifyError(error, 'begin')
      }
      await wait.for(options.target.recover())
      await wait.pause(RETRY_MS)
    }
  } finally {
    wait.end()
  }
}

async function attempt(options: OpenOptions, wait: BoundedWait): Promise<LeasedConnection> {
  const { pool, target, begin } = options
  const connecting = pool.connect()
  let client: pg.PoolClient
  try {
    client = await wait.for(connecting)
  } catch (error) {
    // Nobody waits for it any more; what still arrives goes straight back.
    connecting.then(
      (late) => late.release(),
      () => undefined,
    )
    throw error
  }
  const connection = new LeasedConnection(client, target)
  try {
    await wait.for(client.query(begin))
    return connection
  } catch (error) {
    if (wait.isOver) connection.break(new HeddleError('ENGINE_UNAVAILABLE'))
    await connection.rollback()
    throw error
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof HeddleError ? error.code === 'ENGINE_UNAVAILABLE' : isTransient(error)
}

/** The connect limit and the caller's signal, over several steps. */
class BoundedWait {
  readonly #target: EngineTarget
  readonly #signal: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout
  readonly #over: Promise<never>
  #end: (error: HeddleError) => void = () => undefined
  #reason: HeddleError | undefined
  #lastFailure: unknown
  readonly #onAbort = (): void => this.#finish(new HeddleError('CANCELLED'))

  constructor({ connectTimeoutMs, target, signal }: OpenOptions) {
    this.#target = target
    this.#signal = signal
    this.#over = new Promise<never>((_resolve, reject) => {
      this.#end = reject
    })
    this.#over.catch(() => undefined)
    // Asking why nobody answers takes its time too, and belongs into the limit.
    const limitMs = Math.max(connectTimeoutMs - SILENCE_PROBE_MS, connectTimeoutMs / 2)
    this.#timer = setTimeout(() => void this.#giveUp(connectTimeoutMs), limitMs)
    signal?.addEventListener('abort', this.#onAbort)
  }

  get isOver(): boolean {
    return this.#reason !== undefined
  }

  throwIfOver(): void {
    if (this.#reason !== undefined) throw this.#reason
  }

  /** Why the last attempt failed: told when the limit comes before an attempt that succeeds. */
  noteFailure(error: unknown): void {
    this.#lastFailure = error
  }

  for<T>(step: Promise<T>): Promise<T> {
    // Also when the wait ends first, the step's own failure is taken.
    step.catch(() => undefined)
    return Promise.race([this.#over, step])
  }

  async pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      await this.for(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))))
    } finally {
      clearTimeout(timer)
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }

  async #giveUp(waitedMs: number): Promise<void> {
    const explanation = await this.#target.explainSilence('begin')
    const failure =
      this.#lastFailure === undefined ? undefined : classifyError(this.#lastFailure, 'begin')
    const details = { ...failure?.details, waitedMs }
    this.#finish(
      explanation ?? new HeddleError('ENGINE_UNAVAILABLE', { details, cause: failure?.cause }),
    )
  }

  #finish(reason: HeddleError): void {
    this.#reason ??= reason
    this.#end(this.#reason)
  }
}
