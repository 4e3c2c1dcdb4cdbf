import type { Nodes, Root, RootContent } from 'mdast'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

import type { Span } from '../../../evidence/index.ts'

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkFrontmatter, ['yaml'])
  .freeze()

const BYTE_ORDER_MARK = 0xfeff

/** A Markdown text and its syntax tree. Offsets of the tree lie `shift` before those of the text. */
export interface MarkdownTree {
  readonly text: string
  readonly root: Root
  /** 1 when the text begins with a byte order mark, which the parser swallows without counting it. */
  readonly shift: number
}

export function parseMarkdown(text: string): MarkdownTree {
  const shift = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0
  return { text, root: processor.parse(text.slice(shift)), shift }
}

/** Where a node lies in the text. */
export function spanOf({ shift }: MarkdownTree, node: Nodes): Span {
  const start = node.position?.start.offset
  const end = node.position?.end.offset
  if (start === undefined || end === undefined)
    throw new Error('the parser gave a node without a place')
  return { start: start + shift, end: end + shift }
}

/** The words of a node, as a reader sees them. */
export function plainText(node: RootContent): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value
  if ('alt' in node) return node.alt ?? ''
  if (node.type === 'break') return ' '
  if ('children' in node) return node.children.map((child) => plainText(child)).join('')
  return ''
}
