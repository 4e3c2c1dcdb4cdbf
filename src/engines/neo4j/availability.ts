import { HeddleError, toHeddleError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { Neo4jStatus } from './engine.ts'

export interface AvailabilityDeps {
  /** Reaches the server through the whole path and looks at its schema; throws what is wrong. Bounded. */
  readonly check: () => Promise<void>
  readonly recheckMs: number
  readonly logger: Logger
}

/** A server locks a user out after a few wrong passwords; checks must not keep that lock alive. */
const WRONG_PASSWORD_FACTOR = 30

/**
 * Whether the server can be used, as a small state machine.
 *
 * It starts `down`. A check that succeeds leads to `up`, one that fails to `down`; there the next
 * check follows after `recheckMs`, for as long as it takes. In `up` nothing runs by itself: a call
 * that failed for want of a connection reports a suspicion, and a check decides. Checks never
 * overlap; whoever asks while one runs shares it.
 */
export class Availability {
  readonly #deps: AvailabilityDeps
  #status: Neo4jStatus = { state: 'down', code: 'ENGINE_UNAVAILABLE', reason: 'not_checked' }
  #failure: HeddleError | undefined
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: AvailabilityDeps) {
    this.#deps = deps
  }

  get status(): Neo4jStatus {
    return this.#status
  }

  /** @throws HeddleError of the last failed check while the state is `down`. */
  throwIfDown(): void {
    if (this.#status.state === 'up') return
    const { code, reason } = this.#status
    throw new HeddleError(code, {
      details: {
        ...this.#failure?.details,
        engine: 'neo4j',
        ...(reason === undefined ? {} : { reason }),
      },
      cause: this.#failure?.cause,
    })
  }

  /** Runs a check, or joins the one that runs. */
  check(): Promise<void> {
    clearTimeout(this.#timer)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Starts a check behind the back of a caller whose call has failed. */
  suspect(): void {
    if (!this.#isClosed) void this.check()
  }

  /** Ends the checks; resolves when the running one is over. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      await this.#deps.check()
      this.#enterUp()
    } catch (thrown) {
      this.#enterDown(toHeddleError(thrown))
    }
  }

  #enterUp(): void {
    if (this.#status.state === 'down') this.#deps.logger.info('engine.neo4j_up')
    this.#status = { state: 'up' }
    this.#failure = undefined
  }

  #enterDown(failure: HeddleError): void {
    const reason = failure.details['reason']
    const wasUp = this.#status.state === 'up' || this.#failure === undefined
    this.#failure = failure
    this.#status = {
      state: 'down',
      code: failure.code,
      ...(typeof reason === 'string' ? { reason } : {}),
    }
    if (this.#isClosed) return
    if (wasUp) this.#deps.logger.warn('engine.neo4j_down', { code: failure.code })
    const { recheckMs } = this.#deps
    const delayMs = reason === 'authentication' ? recheckMs * WRONG_PASSWORD_FACTOR : recheckMs
    this.#timer = setTimeout(() => {
      this.suspect()
    }, delayMs)
    // Waiting for a server to come back is no reason to keep a process alive.
    this.#timer.unref()
  }
}
