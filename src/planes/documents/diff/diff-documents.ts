import type { Worker } from 'node:worker_threads'

import { HeddleError } from '../../../core/errors.ts'
import { startThread } from '../../../core/start-thread.ts'
import { askThread } from '../ask-thread.ts'
import type { DiffThreadInput } from './diff-thread.ts'
import type { DiffInput, DiffLimits, UnifiedDiff } from './unified-diff.ts'

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
export async function diffDocuments(input: DiffInput, signal: AbortSignal): Promise<UnifiedDiff> {
  const texts = [input.before, input.after]
  const isShort =
    texts.reduce((sum, text) => sum + text.length, 0) <= INLINE_LENGTH &&
    texts.reduce((sum, text) => sum + text.split('\n').length, 0) <= INLINE_LINES
  if (!isShort) return thread.diff(input, signal)
  // Loaded when it is used: starting does without it.
  const { diffTexts } = await import('./unified-diff.ts')
  return diffTexts(input, LIMITS)
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
      const answer = await askThread<UnifiedDiff, UnifiedDiff>(worker, {
        signal,
        limitMs: THREAD_LIMIT_MS,
        ask: () => worker.postMessage(input),
        take: (found) => found,
      })
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
