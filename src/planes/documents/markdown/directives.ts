import type { RootContent } from 'mdast'
import type { ContainerDirective } from 'mdast-util-directive'

import type { ChunkTypes } from '../chunk-types.ts'
import type { DocumentIssue } from '../document.ts'
import { assertWithin } from './limits.ts'
import { type MarkdownTree, plainText, spanOf } from './parse-markdown.ts'
import { walkTree } from './walk-tree.ts'

/** Every chunk inside a directive carries these, so they are small. */
const MAX_TAGS = 20
const MAX_TAG_LENGTH = 128
/** Of the fields as JSON; UTF-16 code units. */
const MAX_FIELDS_LENGTH = 2048

const MAX_ISSUES = 100

/** What a directive says of the chunks inside it. */
export interface Directive {
  /** Absent when its name is no known type. */
  readonly type?: string
  readonly tags: readonly string[]
  readonly fields: Readonly<Record<string, unknown>>
}

/** Reads name, label and attributes of a directive, on top of those of the one around it. */
export function readDirective(
  node: ContainerDirective,
  types: ChunkTypes,
  outer: Directive | undefined,
): Directive {
  const { tags, fields } = readAttributes(node)
  const type = types.isKnown(node.name) ? node.name : outer?.type
  const isSmall = areSmall(tags, fields)
  return {
    tags: [...new Set([...(outer?.tags ?? []), ...(isSmall ? tags : [])])].slice(0, MAX_TAGS),
    fields: isSmall ? fields : {},
    ...(type !== undefined && { type }),
  }
}

/** Whether the fence that ends it is there. One without would take in the rest of its document. */
export function isClosed(tree: MarkdownTree, node: ContainerDirective): boolean {
  const { start, end } = spanOf(tree, node)
  const text = tree.text.slice(start, end)
  const opening = /^:+/.exec(text)?.[0].length ?? 0
  const closing = /[\r\n][ \t>]*(:{3,})[ \t]*$/.exec(text.slice(-200))?.[1]?.length ?? 0
  return closing >= opening
}

/** What was not taken as a directive, or not as one of a known type; and whether the text nests too deeply. */
export function findIssues(tree: MarkdownTree, types: ChunkTypes): readonly DocumentIssue[] {
  const issues: DocumentIssue[] = []
  for (const { node, parent, depth } of walkTree(tree.root)) {
    assertWithin('depth', depth)
    if (node.type !== 'containerDirective' || issues.length >= MAX_ISSUES) continue
    const line = node.position?.start.line ?? 1
    const isNested = parent?.type !== 'root' && parent?.type !== 'containerDirective'
    for (const [code, message] of faults(tree, node, types, isNested)) {
      issues.push({ code, message, line })
    }
  }
  return issues
}

type Fault = readonly [DocumentIssue['code'], string]

function* faults(
  tree: MarkdownTree,
  node: ContainerDirective,
  types: ChunkTypes,
  isNested: boolean,
): Iterable<Fault> {
  if (isNested) {
    yield ['directive_nested', 'A directive inside a list or quote gives no type, tags or fields']
    return
  }
  if (!isClosed(tree, node)) {
    yield ['directive_unclosed', 'The directive has no closing fence, so it is taken as text']
    return
  }
  if (!types.isKnown(node.name)) {
    yield ['directive_unknown', 'The name of the directive is no known type']
  }
  const { tags, fields } = readAttributes(node)
  if (!areSmall(tags, fields)) {
    yield ['directive_attributes', 'The attributes of the directive are too large and left out']
  }
}

/** Classes are tags; everything else, and the label as `title`, is a field. */
function readAttributes(node: ContainerDirective) {
  const { class: classes = '', ...attributes } = node.attributes ?? {}
  const tags = (classes ?? '').split(/\s+/).filter((tag) => tag !== '')
  const label = node.children.find(isLabel)
  const title = label === undefined ? '' : plainText(label).trim()
  const fields = { ...(title !== '' && { title }), ...attributes }
  return { tags, fields }
}

/** The words in brackets after the name, which the tree has as a first paragraph. */
export function isLabel(node: RootContent): boolean {
  return node.type === 'paragraph' && node.data?.directiveLabel === true
}

function areSmall(tags: readonly string[], fields: Readonly<Record<string, unknown>>): boolean {
  return (
    tags.length <= MAX_TAGS &&
    tags.every((tag) => tag.length <= MAX_TAG_LENGTH) &&
    JSON.stringify(fields).length <= MAX_FIELDS_LENGTH
  )
}
