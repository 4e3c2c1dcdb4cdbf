import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
import type { Source } from '../../../evidence/index.ts'
import { getScopeKind, type ScopeSet } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { assertOneName, getDocument } from '../find-document.ts'
import { readLinks, type ResolvedLink } from '../links/read-links.ts'
import type { NameHolder } from '../links/resolve-link.ts'
import { countLinksOf } from '../links/sql/select-links.ts'
import { linkFields, linkToWire } from '../links/wire.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema } from '../wire.ts'

/** Candidates of one ambiguous link that a reply shows. */
const MAX_CANDIDATES = 10

const Target = z.strictObject({
  source_id: z.uuid(),
  path: z.string(),
  title: z.string().optional(),
  scope: scopeSchema,
  chunk_id: z.uuid().optional().describe('The section that the anchor names'),
})

const Link = z.strictObject({
  ...linkFields,
  chunk_id: z.uuid().describe('The chunk that it stands in'),
  state: z
    .enum(['resolved', 'ambiguous', 'unresolved', 'outside'])
    .describe('ambiguous: several have the name; outside: a URL'),
  resolved: Target.optional().describe('Where it leads now'),
  candidates: z
    .array(Target)
    .optional()
    .describe(
      `All that an ambiguous one may mean, narrowest scope first; at most ${MAX_CANDIDATES}`,
    ),
})

const Position = z.int()

export const linksOperation = defineRead({
  name: 'doc.links',
  summary: 'List the links of a document and where each leads now',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    ...documentNameFields,
    ...pageFields,
  }),
  output: z.strictObject({
    source_id: z.uuid(),
    path: z.string(),
    scope: scopeSchema,
    revision: z.int(),
    links: z.array(Link).describe('In document order'),
    total: z.int(),
    next_cursor: z.string().optional(),
  }),
  example: { path: 'guides/setup.md' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    const limit = resolvePageSize(input.limit, call.limits.pageSize)
    return call.readTransaction(async (tx) => {
      const document = await getDocument(tx, call.read, input)
      const { sourceId, revision } = document
      // Positions count within one revision, so a cursor does not outlive it.
      const place = { operation: 'doc.links', filter: { source: sourceId, revision } }
      const after = readCursor(input.cursor, place, Position)
      const found = await readLinks(tx, call.read, sourceId, after, limit + 1)
      const { page, next } = cutPage(found, limit, place, ({ link }) => link.position)
      const [count] = await tx.query(countLinksOf(call.read, sourceId))
      return {
        source_id: sourceId,
        path: document.path ?? '',
        scope: getScopeKind(call.read, document.scopeId),
        revision,
        links: page.map((link) => toLine(link, document, call.read)),
        total: count?.['total'] as number,
        ...next,
      }
    })
  },
})

function toLine({ link, resolution, headingId }: ResolvedLink, document: Source, read: ScopeSet) {
  const heading = headingId === undefined ? {} : { chunk_id: headingId }
  const line = { ...linkToWire(link), chunk_id: link.chunkId }
  if (resolution.state === 'here') {
    const here = { ...document, path: document.path ?? '' }
    return {
      ...line,
      state: 'resolved' as const,
      resolved: { ...toTarget(here, read), ...heading },
    }
  }
  if (!('candidates' in resolution)) return { ...line, state: resolution.state }
  const candidates = resolution.candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => toTarget(candidate, read))
  const [best] = candidates
  return {
    ...line,
    state: resolution.state,
    ...(best !== undefined && { resolved: { ...best, ...heading } }),
    ...(resolution.state === 'ambiguous' && { candidates }),
  }
}

function toTarget(
  { sourceId, path, title, scopeId }: Pick<NameHolder, 'sourceId' | 'path' | 'title' | 'scopeId'>,
  read: ScopeSet,
) {
  const scope = getScopeKind(read, scopeId)
  return { source_id: sourceId, path, ...(title !== undefined && { title }), scope }
}
