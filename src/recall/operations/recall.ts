import { invalidInput } from '../../core/invalid-input.ts'
import { SCOPE_KINDS } from '../../identity/scope.ts'
import { defineRead } from '../../operation/definition.ts'
import type { RecallFilters } from '../filters.ts'
import { runRecall } from '../recall.ts'
import type { Retriever } from '../retriever.ts'
import { makeAbsentRetriever } from '../retrievers/absent.ts'
import { lexicalRetriever } from '../retrievers/lexical.ts'
import { expandPath } from '../source-path.ts'
import { assertQuery, RecallInput, RecallOutput, toWire } from '../wire.ts'

const DEFAULT_TOP_K = 10

/** Everything that finds candidates. */
export const RETRIEVERS: readonly Retriever[] = [
  lexicalRetriever,
  makeAbsentRetriever('vector', 'no embedding lane'),
]

export const recallOperation = defineRead({
  name: 'recall',
  summary: 'Find what memory holds about a question, with citations and an account of what ran',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: RecallInput,
  output: RecallOutput,
  example: { query: 'Where does the blue crate go?', top_k: 5 },
  positional: ['query'],
  narrowTo: ({ scopes }) => scopes,
  handle: async (call, input) => {
    assertQuery(input.query)
    const budget = {
      topK: resolveTopK(input.top_k, call.limits.recallTopK),
      tokens: input.budget_tokens,
    }
    const answer = await runRecall(call, RETRIEVERS, {
      query: input.query,
      scopes: call.read,
      filters: toFilters(input),
      budget,
    })
    return toWire(answer, call.read, budget)
  },
})

/** @throws HeddleError `INPUT_INVALID` above the configured maximum: fewer hits than asked for would pass for all there are. */
export function resolveTopK(asked: number | undefined, max: number): number {
  const topK = asked ?? Math.min(DEFAULT_TOP_K, max)
  if (topK <= max) return topK
  throw invalidInput(['top_k'], 'too_big', `Expected at most ${max}`)
}

function toFilters({ sources, kinds, types, tags, path, observed }: RecallInput): RecallFilters {
  return {
    sources: sources && { ...sources, paths: sources.paths?.flatMap(expandPath) },
    kinds,
    types,
    tags,
    path: path === undefined ? undefined : expandPath(path),
    observed,
  }
}
