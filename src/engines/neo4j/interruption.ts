export type InterruptReason = 'cancelled' | 'deadline' | 'closing'

/** Thrown by a race that an interruption won; never leaves this folder. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly reason: InterruptReason

  constructor(reason: InterruptReason) {
    super(`interrupted: ${reason}`)
    this.reason = reason
  }
}

/**
 * What can end one call early: its signal, its deadline, the engine's closing. Work is raced against
 * it and, when it loses, goes on unwatched; the caller of the race sees to what becomes of it.
 *
 * A commit under way is raced against the deadline and the closing only (`raceCommit`): to drop it
 * on a signal would leave the outcome in doubt for no gain.
 */
export class Interruption {
  readonly #signal: AbortSignal | undefined
  readonly #deadlineMs: number
  readonly #any = makeTrap()
  readonly #hard = makeTrap()
  readonly #timer: NodeJS.Timeout
  readonly #onAbort = () => {
    this.#interrupt('cancelled')
  }

  constructor(options: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number }) {
    this.#signal = options.signal
    this.#deadlineMs = Date.now() + options.timeoutMs
    this.#timer = setTimeout(() => {
      this.#interrupt('deadline')
    }, options.timeoutMs)
    if (this.#signal?.aborted) this.#onAbort()
    else this.#signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Milliseconds until the deadline, at least 1. */
  get remainingMs(): number {
    return Math.max(1, this.#deadlineMs - Date.now())
  }

  close(): void {
    this.#interrupt('closing')
  }

  /** Must be called when the call is over. */
  dispose(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }

  throwIfInterrupted(): void {
    if (this.#any.error !== undefined) throw this.#any.error
  }

  /** @throws Interrupted when a signal, the deadline or the closing comes first. */
  async race<T>(start: () => PromiseLike<T>): Promise<T> {
    this.throwIfInterrupted()
    return raceAgainst(this.#any.promise, start)
  }

  /** @throws Interrupted when the deadline or the closing comes first; a signal only before the start. */
  async raceCommit<T>(start: () => PromiseLike<T>): Promise<T> {
    this.throwIfInterrupted()
    return raceAgainst(this.#hard.promise, start)
  }

  /** Resolves after `ms`. */
  async pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      await this.race(
        () =>
          new Promise<void>((resolve) => {
            timer = setTimeout(resolve, ms)
          }),
      )
    } finally {
      clearTimeout(timer)
    }
  }

  #interrupt(reason: InterruptReason): void {
    const error = new Interrupted(reason)
    this.#any.spring(error)
    if (reason !== 'cancelled') this.#hard.spring(error)
  }
}

interface Trap {
  readonly promise: Promise<never>
  readonly error: Interrupted | undefined
  spring(error: Interrupted): void
}

function makeTrap(): Trap {
  let sprung: Interrupted | undefined
  const { promise, reject } = withRejection()
  promise.catch(() => undefined) // nobody may be racing when it springs
  return {
    promise,
    get error() {
      return sprung
    },
    spring(error) {
      sprung ??= error
      reject(error)
    },
  }
}

function withRejection(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise
  })
  return { promise, reject }
}

function raceAgainst<T>(trap: Promise<never>, start: () => PromiseLike<T>): Promise<T> {
  const work = Promise.resolve(start())
  work.catch(() => undefined) // a loser's failure is nobody's
  return Promise.race([trap, work])
}
