import type { Nodes, RootContent } from 'mdast'

import type { Span } from '../../../evidence/index.ts'
import { countTokens } from '../../../evidence/index.ts'
import { diagramLabels } from './diagram-labels.ts'
import { imageWords, isImageBlock } from './image-words.ts'
import { type MarkdownTree, spanOf } from './parse-markdown.ts'
import { splitText } from './split-text.ts'

/** What a leaf chunk mainly is. */
export type LeafType =
  | 'heading'
  | 'paragraph'
  | 'list'
  | 'table'
  | 'code'
  | 'diagram'
  | 'quote'
  | 'image'
  | 'html'
  | 'front_matter'

/** A piece of a block that packing does not divide any further. */
export interface Atom extends Span {
  readonly type: LeafType
  readonly tokens: number
  /** True for pieces that never share a chunk with another block: code, tables, front matter. */
  readonly isAlone: boolean
  /** Of a diagram or an image: what it shows in words. */
  readonly words?: readonly string[]
}

const ALONE: ReadonlySet<LeafType> = new Set(['code', 'table', 'diagram', 'front_matter'])

/**
 * Divides a block into atoms of at most `maxTokens`: the block itself when it fits; else a list by its
 * items, a table by its rows, a quote by its blocks; what is still too large by lines, then sentences.
 */
export function toAtoms(
  tree: MarkdownTree,
  node: RootContent,
  maxTokens: number,
  type = leafType(node),
): readonly Atom[] {
  return divide(tree, node, maxTokens).map((span, at) => {
    const text = tree.text.slice(span.start, span.end)
    const words = wordsOf(type, node, text, at === 0)
    return {
      ...span,
      type,
      tokens: countTokens(text),
      isAlone: ALONE.has(type),
      ...(words && { words }),
    }
  })
}

/** Lines that open or close a block of code. */
const FENCE = /^[ \t>]*(?:`{3,}|~{3,}).*$/gm

/** A diagram that is divided has in every piece its own words, an image all of them in the first. */
function wordsOf(
  type: LeafType,
  node: RootContent,
  text: string,
  isFirst: boolean,
): readonly string[] | undefined {
  if (type === 'diagram') return diagramLabels(text.replace(FENCE, ''))
  if (type === 'image') return isFirst ? imageWords(node) : []
  return undefined
}

function divide(tree: MarkdownTree, node: Nodes, maxTokens: number): readonly Span[] {
  const span = spanOf(tree, node)
  const text = tree.text.slice(span.start, span.end)
  if (countTokens(text) <= maxTokens) return [span]
  const parts = dividableChildren(node)
  if (parts.length > 0) return parts.flatMap((part) => divide(tree, part, maxTokens))
  return splitText(text, maxTokens).map(({ start, end }) => ({
    start: span.start + start,
    end: span.start + end,
  }))
}

const DIVIDED: ReadonlySet<string> = new Set([
  'list',
  'listItem',
  'table',
  'blockquote',
  'footnoteDefinition',
])

function dividableChildren(node: Nodes): readonly Nodes[] {
  return DIVIDED.has(node.type) && 'children' in node ? node.children : []
}

const LEAF_TYPES: ReadonlyMap<string, LeafType> = new Map([
  ['heading', 'heading'],
  ['list', 'list'],
  ['table', 'table'],
  ['html', 'html'],
  ['yaml', 'front_matter'],
  ['blockquote', 'quote'],
  ['code', 'code'],
])

export function leafType(node: RootContent): LeafType {
  if (node.type === 'code' && node.lang?.toLowerCase() === 'mermaid') return 'diagram'
  return isImageBlock(node) ? 'image' : (LEAF_TYPES.get(node.type) ?? 'paragraph')
}
