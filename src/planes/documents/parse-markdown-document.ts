import { DEFAULT_CHUNK_TOKENS } from '../../evidence/index.ts'
import { makeChunkTypes } from './chunk-types.ts'
import type { ParsedDocument } from './document.ts'
import { buildChunks } from './markdown/chunk-tree.ts'
import { findIssues } from './markdown/directives.ts'
import { type FrontMatter, parseFrontMatter } from './markdown/front-matter.ts'
import { findLinks } from './markdown/links.ts'
import { type MarkdownTree, parseMarkdown, plainText } from './markdown/parse-markdown.ts'

export interface ParseOptions {
  /** Bound of a leaf chunk; default {@link DEFAULT_CHUNK_TOKENS}. */
  readonly maxTokens?: number
  /** Types that directives may give, beside {@link BUILT_IN_CHUNK_TYPES}. */
  readonly chunkTypes?: readonly string[]
}

/**
 * Takes a Markdown text apart, in this thread.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `DOCUMENT_TOO_COMPLEX`.
 */
export function parseMarkdownDocument(text: string, options: ParseOptions = {}): ParsedDocument {
  const { maxTokens = DEFAULT_CHUNK_TOKENS } = options
  const types = makeChunkTypes(options.chunkTypes)
  const tree = parseMarkdown(text)
  // First, since it is what looks at how deep the tree is; all that follows may recurse into it.
  const issues = findIssues(tree, types)
  const [first] = tree.root.children
  const fields = first?.type === 'yaml' ? parseFrontMatter(first.value) : undefined
  const links = findLinks(tree)
  return {
    text,
    chunks: buildChunks(tree, maxTokens, types),
    ...describe(tree, fields),
    ...(links.length > 0 && { links }),
    ...(issues.length > 0 && { issues }),
  }
}

/** Title, type and tags as front matter gives them; the title else from the first heading of level 1. */
function describe(tree: MarkdownTree, fields: FrontMatter | undefined) {
  const heading = tree.root.children.find((node) => node.type === 'heading' && node.depth === 1)
  const title = textField(fields?.['title']) ?? (heading && textField(plainText(heading)))
  const type = textField(fields?.['type'])
  const tags = tagsField(fields?.['tags'])
  return {
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(tags !== undefined && { tags }),
    ...(fields !== undefined && { fields }),
  }
}

function textField(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function tagsField(value: unknown): readonly string[] | undefined {
  const given = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(given)) return undefined
  const tags = given.map(textField).filter((tag) => tag !== undefined)
  return [...new Set(tags)]
}
