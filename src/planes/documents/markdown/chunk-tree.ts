import { countTokens, hashSpan, type Span, trimSpan } from '../../../evidence/index.ts'
import type { ChunkTypes } from '../chunk-types.ts'
import type { ParsedChunk } from '../document.ts'
import { ChunkBuilder, type Draft } from './chunk-builder.ts'
import { assertWithin } from './limits.ts'
import type { MarkdownTree } from './parse-markdown.ts'
import { splitText } from './split-text.ts'

/**
 * Makes the chunks of a Markdown text. Headings open sections; the blocks of a section are packed, in
 * order, into leaves of at most `maxTokens`, a heading together with what follows it.
 *
 * @throws HeddleError `DOCUMENT_TOO_COMPLEX` when there are too many.
 */
export function buildChunks(
  tree: MarkdownTree,
  maxTokens: number,
  types: ChunkTypes,
): readonly ParsedChunk[] {
  const builder = new ChunkBuilder(tree, maxTokens, types)
  builder.addAll(tree.root.children)
  return completeChunks(tree.text, builder.finish(), maxTokens)
}

/** Gives drafts their ends, quotes and hashes. A leaf that markers between its atoms made too large is cut. */
function completeChunks(
  text: string,
  drafts: readonly Draft[],
  maxTokens: number,
): readonly ParsedChunk[] {
  // A text without a single block, such as blank lines, is still covered.
  const blank: Draft = { type: 'paragraph', headingPath: [], start: 0 }
  const all = drafts.length === 0 && text !== '' ? [blank] : drafts
  const ends = draftEnds(text, all)
  const withSubsections = new Set(all.filter(isSection).map(({ parent }) => parent))
  const places: number[] = []
  const chunks: ParsedChunk[] = []
  all.forEach((draft, index) => {
    places.push(chunks.length)
    const span = { start: draft.start, end: ends[index] ?? text.length }
    // The title of a section is found through its chunks; one that has none is a chunk by itself.
    const isBare = draft.type === 'heading' && withSubsections.has(draft.parent)
    const isRecalled = !isSection(draft) && draft.type !== 'front_matter' && !isBare
    const parent = draft.parent === undefined ? undefined : places[draft.parent]
    for (const piece of isSection(draft) ? [span] : cap(text, span, maxTokens)) {
      chunks.push(toChunk(text, draft, piece, parent, isRecalled))
    }
    assertWithin('chunks', chunks.length)
  })
  return chunks
}

function draftEnds(text: string, drafts: readonly Draft[]): readonly number[] {
  const ends: number[] = []
  let leafEnd = text.length
  // From the end: the starts of the sections that come later, outermost first.
  const later: { readonly level: number; readonly start: number }[] = []
  for (let index = drafts.length - 1; index >= 0; index -= 1) {
    const draft = drafts[index] as Draft
    if (draft.level === undefined) {
      ends[index] = leafEnd
      leafEnd = draft.start
      continue
    }
    while ((later.at(-1)?.level ?? 0) > draft.level) later.pop()
    ends[index] = later.at(-1)?.start ?? text.length
    later.push({ level: draft.level, start: draft.start })
  }
  return ends
}

function cap(text: string, span: Span, maxTokens: number): readonly Span[] {
  const tile = text.slice(span.start, span.end)
  if (countTokens(tile.trim()) <= maxTokens) return [span]
  return splitText(tile, maxTokens).map((piece) => ({
    start: span.start + piece.start,
    end: span.start + piece.end,
  }))
}

function toChunk(
  text: string,
  draft: Draft,
  span: Span,
  parent: number | undefined,
  isRecalled: boolean,
): ParsedChunk {
  const { type, headingPath, level, directive, words } = draft
  const quote = hashSpan(text, trimSpan(text, span))
  const fields = directive?.fields ?? {}
  // The rest of an image that is its own data has nothing that could be searched.
  const hasWords = words === undefined || type !== 'image' || words.length > 0
  return {
    type: directive?.type ?? type,
    headingPath,
    span,
    quote,
    tokens: countTokens(text.slice(quote.start, quote.end)),
    isRecalled: isRecalled && hasWords && quote.end > quote.start,
    ...(level !== undefined && { level }),
    ...(parent !== undefined && { parent }),
    ...(words !== undefined && words.length > 0 && { searchText: words.join('\n') }),
    ...(directive?.type !== undefined && { isTyped: true }),
    ...(directive !== undefined && directive.tags.length > 0 && { tags: directive.tags }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
}

function isSection(draft: Draft): boolean {
  return draft.level !== undefined
}
