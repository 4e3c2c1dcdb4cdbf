import { z } from 'zod'

import { invalidInput } from '../core/invalid-input.ts'
import { getScopeKind, SCOPE_KINDS, type ScopeSet } from '../identity/scope.ts'
import { ITEM_KINDS } from '../items/index.ts'
import { envelopeSchema } from '../provenance/envelope.ts'
import type { CheckedCandidate } from './check-candidates.ts'
import { observedSchema } from './observed-window.ts'
import type { RecallAnswer } from './recall.ts'
import { sourcePathSchema } from './source-path.ts'
import type { StoredItem } from './stored-item.ts'

/** An empty name would match nothing and a blank one is a mistake: both are refused. */
const name = (max: number) => z.string().trim().min(1).max(max)
const names = (max: number) => z.array(name(max)).min(1).max(100)

const kinds = z.array(z.enum(ITEM_KINDS)).min(1)

export const RecallInput = z.strictObject({
  query: z.string().describe('What to look for, in words'),
  scopes: z.array(z.enum(SCOPE_KINDS)).min(1).optional().describe('Default: all that you may read'),
  sources: z
    .strictObject({
      kinds: kinds.optional(),
      types: names(128).optional(),
      paths: z
        .array(sourcePathSchema)
        .min(1)
        .max(100)
        .optional()
        .describe('Documents, or folders with all below them'),
    })
    .refine((given) => Object.values(given).some((part) => part !== undefined), {
      error: 'Expected kinds, types or paths',
    })
    .optional()
    .describe('Where answers may come from; the reply proves it in sources_applied'),
  kinds: kinds.optional(),
  types: names(128).optional(),
  tags: names(128).optional().describe('Only what has all of them'),
  path: sourcePathSchema.optional().describe('Only this document, or all below this folder'),
  observed: observedSchema.optional(),
  top_k: z.int().min(1).optional().describe('Hits at most; default 10'),
  budget_tokens: z.int().min(1).optional().describe('Tokens that all hits may have together'),
})
export type RecallInput = z.output<typeof RecallInput>

const Span = z.strictObject({ start: z.int(), end: z.int() })

const Citation = z.strictObject({
  source_id: z.string().optional(),
  entry_id: z.string().optional().describe('Of a key/value entry'),
  revision: z.int(),
  chunk_id: z.string().optional(),
  path: z.string().optional(),
  span: Span.optional().describe('UTF-16 code units; in a turn, of the turn'),
  quote: z.string().optional(),
  hash: z.string().optional().describe('SHA-256 of the quote as UTF-8'),
  observed_at: z.string().optional(),
})

const Hit = z.strictObject({
  id: z.string(),
  kind: z.enum(ITEM_KINDS),
  text: z.string(),
  title: z.string().optional(),
  author: z.string().optional(),
  type: z.string().optional(),
  tags: z.array(z.string()),
  scope: z.enum(SCOPE_KINDS),
  score: z.number(),
  ranks: z.record(z.string(), z.strictObject({ rank: z.int(), score: z.number() })),
  observed_at: z.string().optional(),
  inserted_at: z.string(),
  citations: z.array(Citation),
  provenance: envelopeSchema,
})

const Coded = z.strictObject({ code: z.string(), message: z.string() })

export const RecallOutput = z.strictObject({
  hits: z.array(Hit),
  gaps: z.array(Coded).describe('What the answer lacks'),
  sources_requested: z.boolean(),
  sources_applied: z.boolean().describe('True only when proved from the stored rows'),
  filters_applied: z.record(z.string(), z.boolean()),
  retrievers: z.array(
    z.strictObject({
      name: z.string(),
      ran: z.boolean(),
      candidates: z.int(),
      ms: z.number(),
      why_not: z.string().optional(),
      strays: z.int().optional().describe('Candidates that failed a filter and were dropped'),
    }),
  ),
  degraded: z.array(Coded),
  truncated: z.boolean().describe('The budget left out hits that top_k had room for'),
  budget: z.strictObject({
    top_k: z.int(),
    tokens: z.int().optional(),
    tokens_used: z.int(),
  }),
})
type RecallOutput = z.input<typeof RecallOutput>

/** @throws HeddleError `INPUT_INVALID` for a query without anything but white space. */
export function assertQuery(query: string): void {
  if (query.trim() !== '') return
  throw invalidInput(['query'], 'blank', 'Expected words to look for')
}

export function toWire(
  answer: RecallAnswer,
  read: ScopeSet,
  budget: { readonly topK: number; readonly tokens?: number | undefined },
): RecallOutput {
  const { pack, retrievers } = answer
  return {
    hits: pack.hits.map((hit) => toHit(hit, read)),
    gaps: toGaps(answer),
    sources_requested: answer.hasSources,
    sources_applied: answer.areSourcesApplied,
    filters_applied: answer.filtersApplied,
    retrievers: retrievers.map(({ name, ran, candidates, ms, whyNot, strays }) => ({
      name,
      ran,
      candidates,
      ms,
      ...(whyNot !== undefined && { why_not: whyNot }),
      ...(strays > 0 && { strays }),
    })),
    degraded: toDegraded(answer),
    truncated: pack.isTruncated,
    budget: {
      top_k: budget.topK,
      ...(budget.tokens !== undefined && { tokens: budget.tokens }),
      tokens_used: pack.tokens,
    },
  }
}

function toHit({ item, score, ranks }: CheckedCandidate, read: ScopeSet): z.input<typeof Hit> {
  const { recordId, kind, text, title, author, type, tags, observedAt, insertedAt } = item
  return {
    id: recordId,
    kind,
    text,
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(type !== undefined && { type }),
    tags: [...tags],
    scope: getScopeKind(read, item.scopeId),
    score,
    ranks: Object.fromEntries(ranks),
    ...(observedAt !== undefined && { observed_at: observedAt }),
    inserted_at: insertedAt,
    citations: [toCitation(item)],
    provenance: item.provenance,
  }
}

function toCitation(item: StoredItem): z.input<typeof Citation> {
  const { recordId, kind, sourceId, revision, text, path, place, observedAt } = item
  const observed = observedAt === undefined ? {} : { observed_at: observedAt }
  if (place === undefined || sourceId === undefined) {
    const id = kind === 'kv' ? { entry_id: recordId } : {}
    return { ...id, revision, ...observed }
  }
  return {
    source_id: sourceId,
    revision: place.revision,
    chunk_id: recordId,
    ...(path !== undefined && { path }),
    span: { start: place.start, end: place.end },
    quote: text,
    hash: place.hash,
    ...observed,
  }
}

function toGaps({ pack, query, unsupported, absentKinds }: RecallAnswer): z.input<typeof Coded>[] {
  const gaps: z.input<typeof Coded>[] = []
  const add = (code: string, message: string): void => void gaps.push({ code, message })
  if (query.terms.length === 0) add('query_without_words', 'The query has no words to look for')
  if (pack.isTruncated) add('truncated', 'The token budget left out hits')
  else if (pack.hits.length === 0) add('nothing_found', 'Nothing in these scopes matches')
  if (absentKinds.length > 0) {
    add('kind_absent', `These scopes hold nothing of kind ${absentKinds.join(', ')}`)
  }
  if (unsupported > 0) {
    add('support_lost', `${unsupported} candidates had expired or no longer matched their source`)
  }
  return gaps
}

function toDegraded({ retrievers }: RecallAnswer): z.input<typeof Coded>[] {
  return retrievers
    .filter(({ isDegraded, strays }) => isDegraded || strays > 0)
    .map(({ name, whyNot, strays }) => ({
      code: whyNot === undefined ? 'retriever_strayed' : 'retriever_missing',
      message: `${name}: ${whyNot ?? `${strays} candidates failed a filter and were dropped`}`,
    }))
}
