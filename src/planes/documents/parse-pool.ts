import type { Worker } from 'node:worker_threads'

import { type ErrorCode, HeddleError } from '../../core/errors.ts'
import { startThread } from '../../core/start-thread.ts'
import type { ParseThreadInput, ParseThreadReply } from './parse-thread.ts'

/** Texts that are parsed at once; more wait. Each thread takes some 100 MB while it works. */
const MAX_THREADS = 2

/** No honest document of the largest size takes as long; one made to be slow ends here, in milliseconds. */
const PARSE_LIMIT_MS = 60_000

const ENTRY = new URL('./parse-thread.ts', import.meta.url)

/**
 * Threads that take documents apart, one text at a time each. They are started when they are needed,
 * kept for the next text, and do not keep the process alive. One that runs past its limit, or whose
 * text was given up, is ended.
 */
export class ParsePool {
  #idle: Worker[] = []
  #busy = 0
  readonly #waiting: (() => void)[] = []

  /** @throws HeddleError `DOCUMENT_TOO_COMPLEX`, `CANCELLED`. */
  async parse(input: ParseThreadInput, signal: AbortSignal): Promise<ParseThreadReply> {
    if (this.#busy >= MAX_THREADS) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy += 1
    try {
      if (signal.aborted) throw new HeddleError('CANCELLED')
      return await this.#run(input, signal)
    } finally {
      this.#busy -= 1
      this.#waiting.shift()?.()
    }
  }

  async #run(input: ParseThreadInput, signal: AbortSignal): Promise<ParseThreadReply> {
    const worker = this.#idle.pop() ?? startThread(ENTRY, { name: 'heddle-parse' })
    worker.ref()
    try {
      const reply = await ask(worker, input, signal)
      worker.unref()
      this.#idle.push(worker)
      return reply
    } catch (error) {
      await worker.terminate()
      throw error
    }
  }
}

function ask(
  worker: Worker,
  input: ParseThreadInput,
  signal: AbortSignal,
): Promise<ParseThreadReply> {
  return new Promise<ParseThreadReply>((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.off('error', onLost).off('exit', onLost).off('message', onReply)
      end()
    }
    const fail = (code: ErrorCode): void => settle(() => reject(new HeddleError(code)))
    const onAbort = (): void => fail('CANCELLED')
    const onLost = (): void => fail('DOCUMENT_TOO_COMPLEX')
    const onReply = (reply: ParseThreadReply): void => settle(() => resolve(reply))
    const timer = setTimeout(onLost, PARSE_LIMIT_MS)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.on('error', onLost).on('exit', onLost).on('message', onReply)
    worker.postMessage(input)
  })
}
