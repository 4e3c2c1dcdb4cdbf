import type { Nodes, Root } from 'mdast'
import { directiveFromMarkdown } from 'mdast-util-directive'
import type { Extension as FromMarkdownExtension } from 'mdast-util-from-markdown'
import { directive } from 'micromark-extension-directive'
import type { Extension } from 'micromark-util-types'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { type Processor, unified } from 'unified'

import type { Span } from '../../../evidence/index.ts'
import { directiveDepth } from './directive-depth.ts'
import { assertWithin } from './limits.ts'
import { withQuickAutolinks } from './quick-autolinks.ts'
import { wikiLinkFromMarkdown, wikiLinkSyntax } from './wiki-link.ts'

const COLON = 58

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkFrontmatter, ['yaml'])
  .use(heddleSyntax)
  .freeze()

const BYTE_ORDER_MARK = 0xfeff

/** A Markdown text and its syntax tree. Offsets of the tree lie `shift` before those of the text. */
export interface MarkdownTree {
  readonly text: string
  readonly root: Root
  /** 1 when the text begins with a byte order mark, which the parser swallows without counting it. */
  readonly shift: number
}

/** @throws HeddleError `DOCUMENT_TOO_COMPLEX` when directives nest too deeply. */
export function parseMarkdown(text: string): MarkdownTree {
  assertWithin('depth', directiveDepth(text))
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
export function plainText(node: Nodes): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value
  if ('alt' in node) return node.alt ?? ''
  if (node.type === 'break') return ' '
  if ('children' in node) return node.children.map((child) => plainText(child)).join('')
  return ''
}

/** What Heddle reads beside CommonMark, GFM and front matter: wiki links and container directives. */
function heddleSyntax(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [
    ...(data.micromarkExtensions ?? []).map(withQuickAutolinks),
    containers(),
    wikiLinkSyntax,
  ]
  data.fromMarkdownExtensions = [
    ...[data.fromMarkdownExtensions ?? []].flat(2).map(withoutTransforms),
    directiveFromMarkdown(),
    wikiLinkFromMarkdown,
  ]
}

/** Transforms make nodes that have no place in the text: a second search for bare addresses, which the syntax has found. */
function withoutTransforms({ transforms: _, ...extension }: FromMarkdownExtension) {
  return extension
}

/** Only the form with three colons: in running text, "10:30" and "std::vector" are what they look like. */
function containers(): Extension {
  const [container] = [directive().flow?.[COLON]].flat()
  if (container === undefined) throw new Error('the directive extension has no containers')
  return { flow: { [COLON]: container } }
}
