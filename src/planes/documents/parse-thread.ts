/** A thread that takes documents apart, one after the other, and says what it found. */
import { parentPort } from 'node:worker_threads'

import { HeddleError, toWireError, type WireError } from '../../core/errors.ts'
import type { ParsedDocument } from './document.ts'
import { parseMarkdownDocument, type ParseOptions } from './parse-markdown-document.ts'

export interface ParseThreadInput {
  readonly text: string
  readonly options: ParseOptions
}

/** The chunks without the text, which the other side has. */
export type ParseThreadReply =
  | { readonly ok: true; readonly parsed: Omit<ParsedDocument, 'text'> }
  | { readonly ok: false; readonly error: WireError }

function run({ text, options }: ParseThreadInput): ParseThreadReply {
  try {
    const { text: _, ...parsed } = parseMarkdownDocument(text, options)
    return { ok: true, parsed }
  } catch (error) {
    if (error instanceof HeddleError) return { ok: false, error: toWireError(error) }
    // Containers nested so deeply that the parser's own stack ends.
    if (error instanceof RangeError) {
      return { ok: false, error: toWireError(new HeddleError('DOCUMENT_TOO_COMPLEX')) }
    }
    throw error
  }
}

parentPort?.on('message', (input: ParseThreadInput) => parentPort?.postMessage(run(input)))
