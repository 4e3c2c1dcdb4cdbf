import type { ChunkId } from '../../../../src/core/ids.ts'
import { quoteOf } from '../../../../src/evidence/index.ts'
import { isLeaf, type ParsedChunk } from '../../../../src/planes/documents/document.ts'
import { type HeldChunk, matchChunks } from '../../../../src/planes/documents/match-chunks.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'

function counter(prefix: string) {
  let count = 0
  return () => `${prefix}${(count += 1)}`
}

/** The chunks of a text as a revision holds them: `old0` and on. */
export function hold(text: string): readonly HeldChunk[] {
  return parse(text).chunks.map((chunk, index) => ({
    chunkId: `old${index}` as ChunkId,
    isLeaf: isLeaf(chunk),
    type: chunk.type,
    headingPath: chunk.headingPath,
    quote: chunk.quote,
    ...(chunk.parent !== undefined && { parentId: `old${chunk.parent}` as ChunkId }),
  }))
}

function parse(text: string) {
  return parseMarkdownDocument(text, { maxTokens: 40 })
}

/** Both texts in chunks of at most 40 tokens, and what became of those of the first. */
export function match(before: string, after: string) {
  const parsed = parse(after)
  const held = hold(before)
  const matched = matchChunks({ text: before, chunks: held }, parsed, counter('new'))
  const { ids, gone, lineage } = matched
  const leaves = ids.filter((_, index) => isLeaf(parsed.chunks[index] as ParsedChunk))
  const textOf = (index: number) =>
    quoteOf(after, parsed.chunks[index]?.quote ?? { start: 0, end: 0 })
  const idOf = (words: string) =>
    ids[parsed.chunks.findIndex((chunk, index) => isLeaf(chunk) && textOf(index).includes(words))]
  const oldIdOf = (words: string) =>
    held.find((old) => old.isLeaf && quoteOf(before, old.quote).includes(words))?.chunkId
  return { ids, leaves, gone, lineage, isNew: matched.isNew, parsed, held, idOf, oldIdOf }
}
