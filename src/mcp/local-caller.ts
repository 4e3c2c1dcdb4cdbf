import { HeddleError } from '../core/errors.ts'
import type { Identity } from '../identity/identity.ts'
import type { Heddle } from '../memory/heddle.ts'
import type { MemoryReply } from '../memory/reply.ts'

/**
 * The memory tool as the operator's own process calls it, under a run that lives as long as the
 * process. The run is opened by the first call that needs it and anew when it has expired, so a desktop
 * agent may sleep for days, and a database that is down at start is an error of calls, not of the start.
 */
export class LocalCaller {
  readonly #heddle: Heddle
  #opening: Promise<Identity> | undefined

  constructor(heddle: Heddle) {
    this.#heddle = heddle
  }

  /** @throws HeddleError what opening the run throws; the next call tries again. */
  identity(signal: AbortSignal): Promise<Identity> {
    const opening = (this.#opening ??= this.#heddle.openLocalIdentity({
      // Shared by all calls that wait for it, so no single caller may end it.
      signal: new AbortController().signal,
      withRun: true,
    }))
    opening.catch(() => this.#forget(opening))
    return untilAborted(opening, signal)
  }

  async call(
    identity: Identity,
    request: unknown,
    options: { signal: AbortSignal },
  ): Promise<MemoryReply> {
    const reply = await this.#heddle.call(identity, request, options)
    const isOver = !reply.ok && reply.error.code === 'RUN_ENDED' && this.#isOwn
    if (!isOver) return reply
    // Refused before anything was done, so the call may go on under a new run.
    const opening = this.#opening
    if (opening !== undefined && (await opening) === identity) this.#forget(opening)
    return this.#heddle.call(await this.identity(options.signal), request, options)
  }

  /** Ends the run, if one was opened; what it held in scope `run` goes with it. */
  async close(signal: AbortSignal): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    if (opening === undefined || !this.#isOwn) return
    await this.#heddle.endLocalRun(await opening, { signal })
  }

  /** Whether the run was opened here; one that came with a token belongs to its platform. */
  get #isOwn(): boolean {
    return this.#heddle.config.local.apiKey === undefined
  }

  #forget(opening: Promise<Identity>): void {
    if (this.#opening === opening) this.#opening = undefined
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new HeddleError('CANCELLED'))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
