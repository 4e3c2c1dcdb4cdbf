import { countTokens } from '../evidence/index.ts'
import type { ScopeSet } from '../identity/scope.ts'
import { ITEM_KINDS, type ItemKind } from '../items/index.ts'
import type { OperationCall } from '../operation/call.ts'
import { checkCandidates, type CheckResult } from './check-candidates.ts'
import { givenFilters, type RecallFilters } from './filters.ts'
import { fuseRankings, type RankedList } from './fusion.ts'
import { type Budget, type Pack, packHits } from './pack.ts'
import { analyseQuery, MAX_QUERY_TERMS, type RecallQuery } from './query.ts'
import type { Retrieval, Retriever, RetrieverContext } from './retriever.ts'
import { selectHeldKinds } from './sql/select-held-kinds.ts'
import { selectItems } from './sql/select-items.ts'
import { type StoredItem, toStoredItem } from './stored-item.ts'

export interface RecallRequest {
  readonly query: string
  readonly scopes: ScopeSet
  readonly filters: RecallFilters
  readonly budget: Budget
}

/** What one retriever did in one recall. */
interface RetrieverReport {
  readonly name: string
  readonly ran: boolean
  readonly candidates: number
  readonly ms: number
  readonly whyNot?: string
  /** Candidates that failed a filter on their stored row. */
  readonly strays: number
  readonly isDegraded: boolean
}

export interface RecallAnswer {
  readonly query: RecallQuery
  readonly pack: Pack
  readonly retrievers: readonly RetrieverReport[]
  readonly hasSources: boolean
  /** True only when sources were given, a retriever contributed and every candidate met them. */
  readonly areSourcesApplied: boolean
  /** The given filters, and `scopes`, with whether every candidate met them. */
  readonly filtersApplied: Readonly<Record<string, boolean>>
  readonly unsupported: number
  /** Kinds that were asked for and of which the scopes hold no item at all. */
  readonly absentKinds: readonly ItemKind[]
}

/** Candidates of each retriever that enter fusion; fixed, so that a smaller `topK` gives the beginning of the same list. */
const RANK_WINDOW = 100

/** Retrieves, fuses, checks and packs. */
export async function runRecall(
  call: OperationCall,
  retrievers: readonly Retriever[],
  request: RecallRequest,
): Promise<RecallAnswer> {
  const query = analyseQuery(request.query)
  if (query.isTrimmed) {
    call.note(
      'query_trimmed',
      `Only the first ${MAX_QUERY_TERMS} distinct words of the query were looked for`,
    )
  }
  const context: RetrieverContext = {
    query,
    scopes: request.scopes,
    filters: request.filters,
    window: Math.max(RANK_WINDOW, call.limits.recallTopK),
    signal: call.signal,
    readTransaction: (fn) => call.readTransaction(fn),
    note: (code, message) => {
      call.note(code, message)
    },
  }
  const runs = await Promise.all(retrievers.map((retriever) => retrieve(retriever, context)))
  const fused = fuseRankings(runs.flatMap(toRankedList))
  const items = await readItems(
    call,
    request.scopes,
    fused.map(({ recordId }) => recordId),
  )
  const check = checkCandidates(fused, items, request.filters)
  const pack = packHits(check.passed, request.budget, countTokens)
  const contributed = fused.length > 0
  return {
    query,
    pack,
    retrievers: runs.map((run) => toReport(run, check)),
    hasSources: request.filters.sources !== undefined,
    areSourcesApplied:
      request.filters.sources !== undefined && contributed && !check.failed.has('sources'),
    filtersApplied: reportFilters(
      request.filters,
      check,
      runs.some(({ retrieval }) => retrieval.ran),
    ),
    unsupported: check.unsupported,
    absentKinds: await findAbsentKinds(call, request, check),
  }
}

interface Run {
  readonly name: string
  readonly retrieval: Retrieval
  readonly ms: number
}

async function retrieve(retriever: Retriever, context: RetrieverContext): Promise<Run> {
  const startedMs = performance.now()
  const retrieval = await retriever.run(context)
  return {
    name: retriever.name,
    retrieval,
    ms: Math.round((performance.now() - startedMs) * 10) / 10,
  }
}

function toRankedList({ name, retrieval }: Run): readonly RankedList[] {
  return retrieval.ran ? [{ retriever: name, candidates: retrieval.candidates }] : []
}

async function readItems(
  call: OperationCall,
  scopes: ScopeSet,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, StoredItem>> {
  if (recordIds.length === 0) return new Map()
  const rows = await call.readTransaction((tx) => tx.query(selectItems(scopes, recordIds)))
  const items = rows.map(toStoredItem)
  return new Map(items.map((item) => [item.recordId, item]))
}

/** A kind that is asked for and found needs no second look. */
async function findAbsentKinds(
  call: OperationCall,
  { scopes, filters }: RecallRequest,
  { passed }: CheckResult,
): Promise<readonly ItemKind[]> {
  const asked = new Set([...(filters.kinds ?? []), ...(filters.sources?.kinds ?? [])])
  for (const { item } of passed) asked.delete(item.kind)
  if (asked.size === 0) return []
  const rows = await call.readTransaction((tx) => tx.query(selectHeldKinds(scopes, [...asked])))
  const held = new Set(rows.map((row) => row['kind']))
  return ITEM_KINDS.filter((kind) => asked.has(kind) && !held.has(kind))
}

function toReport({ name, retrieval, ms }: Run, check: CheckResult): RetrieverReport {
  const base = { name, ms, ran: retrieval.ran, strays: check.strays.get(name) ?? 0 }
  if (retrieval.ran) return { ...base, candidates: retrieval.candidates.length, isDegraded: false }
  const { whyNot, isDegraded } = retrieval
  return { ...base, candidates: 0, whyNot, isDegraded }
}

/** A filter that nobody ran is not applied. */
function reportFilters(
  filters: RecallFilters,
  check: CheckResult,
  hasRun: boolean,
): Readonly<Record<string, boolean>> {
  const names = ['scopes', ...givenFilters(filters)] as const
  return Object.fromEntries(names.map((name) => [name, hasRun && !check.failed.has(name)]))
}
