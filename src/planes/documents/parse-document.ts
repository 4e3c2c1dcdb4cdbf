import { HeddleError } from '../../core/errors.ts'
import { startThread } from '../../core/start-thread.ts'
import type { ParsedDocument } from './document.ts'
import { parseMarkdownDocument, type ParseOptions } from './parse-markdown-document.ts'
import type { ParseThreadInput, ParseThreadReply } from './parse-thread.ts'

/** UTF-16 code units. Starting a thread takes about as long as parsing so much text. */
const THREAD_LENGTH = 64 * 1024

const ENTRY = new URL('./parse-thread.ts', import.meta.url)

/**
 * Takes a Markdown text apart; a large one in a thread of its own, so that this one goes on serving. Runs
 * outside of any transaction. Given up, the thread is ended.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `CANCELLED`.
 */
export async function parseDocument(
  text: string,
  signal: AbortSignal,
  options: ParseOptions = {},
): Promise<ParsedDocument> {
  if (text.length < THREAD_LENGTH) return parseMarkdownDocument(text, options)
  const reply = await parseInThread({ text, options }, signal)
  if (reply.ok) return { text, ...reply.parsed }
  const { code, message, details, issues } = reply.error
  throw new HeddleError(code, { message, details, issues })
}

function parseInThread(input: ParseThreadInput, signal: AbortSignal): Promise<ParseThreadReply> {
  const worker = startThread(ENTRY, { name: 'heddle-parse', workerData: input })
  const { promise, resolve, reject } = withResolvers<ParseThreadReply>()
  const giveUp = (): void => {
    reject(new HeddleError('CANCELLED'))
  }
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => {
    reject(new Error('the parsing thread ended without an answer'))
  })
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  return promise.finally(async () => {
    signal.removeEventListener('abort', giveUp)
    await worker.terminate()
  })
}

interface Resolvers<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: Error) => void
}

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers<T>(): Resolvers<T> {
  let resolve: (value: T) => void = () => undefined
  let reject: (reason: Error) => void = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
