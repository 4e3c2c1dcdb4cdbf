import { expect } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import { countTokens, hashText, quoteOf } from '../../../../src/evidence/index.ts'
import { isLeaf, type ParsedDocument } from '../../../../src/planes/documents/document.ts'
import {
  parseMarkdownDocument,
  type ParseOptions,
} from '../../../../src/planes/documents/parse-markdown-document.ts'

/** What must hold of every parsed text. */
export function expectSound({ text, chunks }: ParsedDocument, maxTokens: number): void {
  const leaves = chunks.filter(isLeaf)
  expect(leaves.map(({ span }) => quoteOf(text, span)).join('')).toBe(text)
  let end = 0
  for (const { span, tokens, quote } of leaves) {
    expect(span.start).toBe(end)
    expect(span.end).toBeGreaterThan(span.start)
    end = span.end
    expect(tokens).toBe(countTokens(quoteOf(text, quote)))
    expect(tokens).toBeLessThanOrEqual(maxTokens)
  }
  for (const { span, quote, parent } of chunks) {
    expect(quote.hash).toBe(hashText(quoteOf(text, quote)))
    expect(quote.start).toBeGreaterThanOrEqual(span.start)
    expect(quote.end).toBeLessThanOrEqual(span.end)
    const around = parent === undefined ? undefined : chunks[parent]?.span
    if (around !== undefined) {
      expect(span.start).toBeGreaterThanOrEqual(around.start)
      expect(span.end).toBeLessThanOrEqual(around.end)
    }
  }
}

/** Parses a text; undefined where it begins with what is no YAML between two rules, which is refused. */
export function parseUnlessRefused(
  text: string,
  options: ParseOptions = {},
): ParsedDocument | undefined {
  try {
    return parseMarkdownDocument(text, options)
  } catch (error) {
    if (error instanceof HeddleError && error.code === 'DOCUMENT_FRONT_MATTER') return undefined
    throw error
  }
}
