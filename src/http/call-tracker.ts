import type { ServerResponse } from 'node:http'

/** How long calls that were aborted at the end of a shutdown may take to roll back, in milliseconds. */
const ROLLBACK_MS = 2_000

/** One request that is being served. */
export interface TrackedCall {
  /** Aborts when the client goes away, or when the server stops waiting for it. */
  readonly signal: AbortSignal
}

/**
 * Knows the requests in flight: gives each its signal and lets a stopping server wait for them. A
 * request is over when its response was handed to the system or its client has gone; what a call of a
 * gone client still has to undo is waited for by the engine's own close.
 */
export class CallTracker {
  readonly #controllers = new Set<AbortController>()
  #isDraining = false
  #onIdle: (() => void) | undefined

  /** True once {@link drain} was called: no new requests are to be begun. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  get size(): number {
    return this.#controllers.size
  }

  /** Follows a request from here until its response has been sent or its client has gone. */
  begin(response: ServerResponse): TrackedCall {
    const controller = new AbortController()
    const end = (): void => {
      if (!response.writableFinished) controller.abort()
      this.#controllers.delete(controller)
      if (this.#controllers.size === 0) this.#onIdle?.()
    }
    this.#controllers.add(controller)
    response.once('finish', end)
    response.once('close', end)
    return { signal: controller.signal }
  }

  /** Waits for the requests in flight; those still there after `timeoutMs` are aborted and get a moment to roll back. */
  async drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true
    if (await this.#idleWithin(timeoutMs)) return
    for (const controller of this.#controllers) controller.abort()
    await this.#idleWithin(ROLLBACK_MS)
  }

  #idleWithin(timeoutMs: number): Promise<boolean> {
    if (this.#controllers.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#onIdle = undefined
        resolve(false)
      }, timeoutMs)
      this.#onIdle = () => {
        clearTimeout(timer)
        this.#onIdle = undefined
        resolve(true)
      }
    })
  }
}
