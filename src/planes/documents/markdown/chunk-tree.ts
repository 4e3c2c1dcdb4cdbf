import type { RootContent } from 'mdast'

import { hashSpan, type Span, trimSpan } from '../../../evidence/index.ts'
import { countTokens } from '../../../evidence/index.ts'
import type { ParsedChunk } from '../document.ts'
import { type Atom, type LeafType, toAtoms } from './atoms.ts'
import { type MarkdownTree, plainText, spanOf } from './parse-markdown.ts'
import { splitText } from './split-text.ts'

/** A chunk whose end is not known yet. */
interface Draft {
  readonly parent?: number
  readonly type: ParsedChunk['type']
  readonly level?: number
  readonly headingPath: readonly string[]
  readonly start: number
}

interface OpenSection {
  readonly index: number
  readonly level: number
}

interface OpenLeaf {
  readonly start: number
  readonly types: Set<LeafType>
  end: number
  tokens: number
  isAlone: boolean
}

/**
 * Makes the chunks of a Markdown text. Headings open sections; the blocks of a section are packed, in
 * order, into leaves of at most `maxTokens`, a heading together with what follows it.
 */
export function buildChunks(tree: MarkdownTree, maxTokens: number): readonly ParsedChunk[] {
  const builder = new ChunkBuilder(tree, maxTokens)
  for (const node of tree.root.children) builder.add(node)
  return completeChunks(tree.text, builder.finish(), maxTokens)
}

/** State: the sections that are open, from the outermost, and the leaf that still takes atoms. */
class ChunkBuilder {
  readonly #tree: MarkdownTree
  readonly #maxTokens: number
  readonly #drafts: Draft[] = []
  readonly #sections: OpenSection[] = []
  #path: readonly string[] = []
  #leaf: OpenLeaf | undefined
  /** End of the last atom: what follows starts there or later. */
  #end = 0

  constructor(tree: MarkdownTree, maxTokens: number) {
    this.#tree = tree
    this.#maxTokens = maxTokens
  }

  add(node: RootContent): void {
    if (node.type === 'heading') this.#openSection(node.depth, plainText(node).trim(), node)
    for (const [at, atom] of toAtoms(this.#tree, node, this.#maxTokens).entries()) {
      this.#addAtom(atom, at === 0)
    }
  }

  finish(): readonly Draft[] {
    this.#closeLeaf()
    return this.#drafts
  }

  #openSection(level: number, heading: string, node: RootContent): void {
    this.#closeLeaf()
    while ((this.#sections.at(-1)?.level ?? 0) >= level) {
      this.#sections.pop()
      this.#path = this.#path.slice(0, -1)
    }
    this.#path = [...this.#path, heading]
    const start = this.#startOf(spanOf(this.#tree, node).start)
    this.#sections.push({ index: this.#drafts.length, level })
    this.#drafts.push(this.#draft('section', start, this.#sections.at(-2)?.index, level))
  }

  #addAtom(atom: Atom, isFirstOfBlock: boolean): void {
    const { text } = this.#tree
    const leaf = this.#leaf
    if (leaf !== undefined && this.#takes(leaf, atom, isFirstOfBlock)) {
      leaf.tokens += countTokens(text.slice(leaf.end, atom.start)) + atom.tokens
      leaf.types.add(atom.type)
      leaf.isAlone ||= atom.isAlone
      leaf.end = atom.end
    } else {
      this.#closeLeaf()
      const start = this.#startOf(atom.start)
      const tokens = countTokens(text.slice(start, atom.start)) + atom.tokens
      this.#leaf = {
        start,
        end: atom.end,
        types: new Set([atom.type]),
        tokens,
        isAlone: atom.isAlone,
      }
    }
    this.#end = atom.end
  }

  #takes(leaf: OpenLeaf, atom: Atom, isFirstOfBlock: boolean): boolean {
    const isHeadingOnly = leaf.types.size === 1 && leaf.types.has('heading')
    if (isFirstOfBlock && !isHeadingOnly && (atom.isAlone || leaf.isAlone)) return false
    const gap = this.#tree.text.slice(leaf.end, atom.start)
    return leaf.tokens + countTokens(gap) + atom.tokens <= this.#maxTokens
  }

  #closeLeaf(): void {
    const leaf = this.#leaf
    if (leaf === undefined) return
    this.#drafts.push(this.#draft(leafTypeOf(leaf.types), leaf.start, this.#sections.at(-1)?.index))
    this.#leaf = undefined
  }

  #draft(type: Draft['type'], start: number, parent?: number, level?: number): Draft {
    return {
      type,
      start,
      headingPath: this.#path,
      ...(parent !== undefined && { parent }),
      ...(level !== undefined && { level }),
    }
  }

  /** Takes in the indentation and markers before a place, but nothing of what came before; the first chunk starts the text. */
  #startOf(offset: number): number {
    if (this.#drafts.every(({ level }) => level !== undefined) && this.#end === 0) return 0
    const { text } = this.#tree
    const lineStart =
      Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
    return Math.max(lineStart, this.#end)
  }
}

/** A list stays a list with its heading; what is mixed counts as paragraphs. */
function leafTypeOf(types: ReadonlySet<LeafType>): LeafType {
  const [only, other] = [...types].filter((type) => type !== 'heading')
  if (other !== undefined) return 'paragraph'
  return only ?? 'heading'
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
  const quote = hashSpan(text, trimSpan(text, span))
  return {
    type: draft.type,
    headingPath: draft.headingPath,
    span,
    quote,
    tokens: countTokens(text.slice(quote.start, quote.end)),
    isRecalled: isRecalled && quote.end > quote.start,
    ...(draft.level !== undefined && { level: draft.level }),
    ...(parent !== undefined && { parent }),
  }
}

function isSection(draft: Draft): boolean {
  return draft.level !== undefined
}
