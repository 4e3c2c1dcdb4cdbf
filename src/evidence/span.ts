import { createHash } from 'node:crypto'

/** Half-open `[start, end)` in UTF-16 code units of one exact text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A span together with the SHA-256, as hex, of the text it covers. */
export interface HashedSpan extends Span {
  readonly hash: string
}

export function quoteOf(text: string, { start, end }: Span): string {
  return text.slice(start, end)
}

/** SHA-256 of the UTF-8 form, as hex. The text must be well-formed, else different texts would share a hash. */
export function hashText(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

export function hashSpan(text: string, span: Span): HashedSpan {
  return { start: span.start, end: span.end, hash: hashText(quoteOf(text, span)) }
}

/** The span without white space (a byte order mark included) at its ends; empty at `start` when there is nothing else. */
export function trimSpan(text: string, { start, end }: Span): Span {
  const quote = text.slice(start, end)
  const kept = quote.trim()
  if (kept === '') return { start, end: start }
  const from = start + quote.length - quote.trimStart().length
  return { start: from, end: from + kept.length }
}
