import { countTokens, DEFAULT_CHUNK_TOKENS, hashSpan, trimSpan } from '../../evidence/index.ts'
import type { ParsedChunk, ParsedDocument } from './document.ts'
import { splitText } from './markdown/split-text.ts'
import type { ParseOptions } from './parse-markdown-document.ts'

/** Takes apart a text that is no Markdown: chunks of whole lines and sentences, without sections. */
export function parsePlainText(text: string, options: ParseOptions = {}): ParsedDocument {
  const { maxTokens = DEFAULT_CHUNK_TOKENS } = options
  const chunks = splitText(text, maxTokens).map((span): ParsedChunk => {
    const quote = hashSpan(text, trimSpan(text, span))
    const tokens = countTokens(text.slice(quote.start, quote.end))
    const isRecalled = quote.end > quote.start
    return { type: 'paragraph', headingPath: [], span, quote, tokens, isRecalled }
  })
  return { text, chunks }
}
