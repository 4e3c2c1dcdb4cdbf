import type { Definition, Nodes } from 'mdast'

import type { ParsedLink } from '../document.ts'
import { assertWithin, clipText } from './limits.ts'
import { type MarkdownTree, plainText, spanOf } from './parse-markdown.ts'
import { walkTree } from './walk-tree.ts'

/** Longer ones lead to no document; UTF-16 code units. */
const MAX_TARGET_LENGTH = 2000
const MAX_LABEL_LENGTH = 500

/**
 * All links of a document in its order: inline, by reference, autolinks, images and wiki links. What is
 * inside code or HTML is none; an image that is its own data is left out.
 */
export function findLinks(tree: MarkdownTree): readonly ParsedLink[] {
  const definitions = new Map<string, Definition>()
  const found: Nodes[] = []
  for (const { node } of walkTree(tree.root)) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) {
      definitions.set(node.identifier, node)
    }
    if (LINKS.has(node.type)) found.push(node)
  }
  const links = found.flatMap((node) => toLink(tree, node, definitions))
  assertWithin('links', links.length)
  return links
}

const LINKS: ReadonlySet<string> = new Set([
  'link',
  'linkReference',
  'image',
  'imageReference',
  'wikiLink',
])

function toLink(
  tree: MarkdownTree,
  node: Nodes,
  definitions: ReadonlyMap<string, Definition>,
): readonly ParsedLink[] {
  const place = readPlace(node, definitions)
  if (place === undefined || place.target.length > MAX_TARGET_LENGTH) return []
  if (/^data:/i.test(place.target)) return []
  const label = clipText(plainText(node).trim(), MAX_LABEL_LENGTH)
  return [
    {
      kind: kindOf(node),
      target: place.target,
      span: spanOf(tree, node),
      ...(place.anchor !== undefined && { anchor: place.anchor }),
      ...(label !== '' && { label }),
    },
  ]
}

interface Place {
  readonly target: string
  readonly anchor?: string
}

function readPlace(node: Nodes, definitions: ReadonlyMap<string, Definition>): Place | undefined {
  if (node.type === 'wikiLink') {
    return { target: node.target, ...(node.anchor !== undefined && { anchor: node.anchor }) }
  }
  if (node.type === 'link' || node.type === 'image') return splitUrl(node.url)
  if (node.type === 'linkReference' || node.type === 'imageReference') {
    const definition = definitions.get(node.identifier)
    return definition && splitUrl(definition.url)
  }
  return undefined
}

function splitUrl(url: string): Place {
  const hash = url.indexOf('#')
  if (hash < 0) return { target: url }
  return { target: url.slice(0, hash), anchor: clipText(url.slice(hash + 1), MAX_LABEL_LENGTH) }
}

function kindOf({ type }: Nodes): ParsedLink['kind'] {
  if (type === 'wikiLink') return 'wiki'
  return type === 'image' || type === 'imageReference' ? 'image' : 'link'
}
