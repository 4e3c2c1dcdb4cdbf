import type { Worker } from 'node:worker_threads'

import { type ErrorCode, HeddleError } from '../../../core/errors.ts'
import { startThread } from '../../../core/start-thread.ts'
import type { DiffThreadInput } from './diff-thread.ts'
import { type DiffInput, type DiffLimits, diffTexts, type UnifiedDiff } from './unified-diff.ts'

const LIMITS: DiffLimits = { timeoutMs: 3_000, maxEdits: 10_000, maxLength: 1024 * 1024 }

/** UTF-16 code units, and lines, of both texts together that are compared in this thread: a few milliseconds at most. */
const INLINE_LENGTH = 16 * 1024
const INLINE_LINES = 400

/** Well above what the limits of a diff leave it; a thread that takes longer is ended, in milliseconds. */
const THREAD_LIMIT_MS = 20_000

const ENTRY = new URL('./diff-thread.ts', import.meta.url)

/**
 * Finds the differences of two texts without keeping this thread from serving.
 *
 * @throws HeddleError `DOCUMENT_TOO_COMPLEX`, `CANCELLED`.
 */
export function diffDocuments(input: DiffInput, signal: AbortSignal): Promise<UnifiedDiff> {
  const texts = [input.before, input.after]
  const isShort =
    texts.reduce((sum, text) => sum + text.length, 0) <= INLINE_LENGTH &&
    texts.reduce((sum, text) => sum + text.split('\n').length, 0) <= INLINE_LINES
  return isShort ? Promise.resolve(diffTexts(input, LIMITS)) : thread.diff(input, signal)
}

/** One thread for the differences of large texts, one pair at a time. It does not keep the process alive. */
class DiffThread {
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()

  diff(input: DiffInput, signal: AbortSignal): Promise<UnifiedDiff> {
    const answer = this.#last.then(() => this.#run({ input, limits: LIMITS }, signal))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  async #run(input: DiffThreadInput, signal: AbortSignal): Promise<UnifiedDiff> {
    if (signal.aborted) throw new HeddleError('CANCELLED')
    const worker = (this.#worker ??= startThread(ENTRY, { name: 'heddle-diff' }))
    worker.ref()
    try {
      const answer = await ask(worker, input, signal)
      worker.unref()
      return answer
    } catch (error) {
      this.#worker = undefined
      await worker.terminate()
      throw error
    }
  }
}

const thread = new DiffThread()

function ask(worker: Worker, input: DiffThreadInput, signal: AbortSignal): Promise<UnifiedDiff> {
  return new Promise<UnifiedDiff>((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.off('error', onLost).off('exit', onLost).off('message', onAnswer)
      end()
    }
    const fail = (code: ErrorCode): void => settle(() => reject(new HeddleError(code)))
    const onAbort = (): void => fail('CANCELLED')
    const onLost = (): void => fail('DOCUMENT_TOO_COMPLEX')
    const onAnswer = (answer: UnifiedDiff): void => settle(() => resolve(answer))
    const timer = setTimeout(onLost, THREAD_LIMIT_MS)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.on('error', onLost).on('exit', onLost).on('message', onAnswer)
    worker.postMessage(input)
  })
}
