/** The thread that takes one large document apart, says what it found, and ends. */
import { parentPort, workerData } from 'node:worker_threads'

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
    throw error
  }
}

parentPort?.postMessage(run(workerData as ParseThreadInput))
