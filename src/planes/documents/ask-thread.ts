import type { Worker } from 'node:worker_threads'

import { HeddleError } from '../../core/errors.ts'

/** One question to a thread. */
export interface Question<Message, Answer> {
  readonly signal: AbortSignal
  readonly limitMs: number
  /** Hands over what the thread needs. */
  readonly ask: () => void | Promise<void>
  /** Takes a message; undefined while there is more to come. */
  readonly take: (message: Message) => Answer | undefined
}

/**
 * Waits for a thread's answer about a text. The thread is of no use any more when this fails.
 *
 * @throws HeddleError `DOCUMENT_TOO_COMPLEX` when the thread takes longer than its limit or ends, `CANCELLED`.
 */
export function askThread<Message, Answer>(
  worker: Worker,
  { signal, limitMs, ask, take }: Question<Message, Answer>,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.off('error', onLost).off('exit', onLost).off('message', onMessage)
      end()
    }
    const fail = (error: HeddleError): void => settle(() => reject(error))
    const onAbort = (): void => fail(new HeddleError('CANCELLED'))
    const onLost = (): void => fail(new HeddleError('DOCUMENT_TOO_COMPLEX'))
    const onLate = (): void =>
      fail(new HeddleError('DOCUMENT_TOO_COMPLEX', { details: { limit: 'time', max_ms: limitMs } }))
    const onMessage = (message: Message): void => {
      const answer = take(message)
      if (answer !== undefined) settle(() => resolve(answer))
    }
    const timer = setTimeout(onLate, limitMs)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.on('error', onLost).on('exit', onLost).on('message', onMessage)
    Promise.resolve(ask()).catch(onLost)
  })
}
