import { HeddleError } from '../../core/errors.ts'
import type { ParsedDocument } from './document.ts'
import { parseMarkdownDocument, type ParseOptions } from './parse-markdown-document.ts'
import { ParsePool } from './parse-pool.ts'

/**
 * UTF-16 code units. Up to there even a text that is made to be slow takes little time; anything longer
 * is parsed in a thread, since no look at a text tells how long its parsing takes.
 */
const INLINE_LENGTH = 1024

const pool = new ParsePool()

/**
 * Takes a Markdown text apart without keeping this thread from serving. Runs outside of any transaction.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `DOCUMENT_TOO_COMPLEX`, `CANCELLED`.
 */
export async function parseDocument(
  text: string,
  signal: AbortSignal,
  options: ParseOptions = {},
): Promise<ParsedDocument> {
  if (text.length < INLINE_LENGTH) return parseMarkdownDocument(text, options)
  const reply = await pool.parse({ text, options }, signal)
  if (reply.ok) return { text, ...reply.parsed }
  const { code, message, details, issues } = reply.error
  throw new HeddleError(code, { message, details, issues })
}
