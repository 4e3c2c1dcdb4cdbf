import { HeddleError } from '../../core/errors.ts'
import { makeScopeSet, SCOPE_KINDS, type ScopeSet } from '../../identity/scope.ts'
import { readRefusal } from '../../identity/scope-rights.ts'
import type { OperationCall } from '../../operation/call.ts'
import { defineRead } from '../../operation/definition.ts'
import { runRecall } from '../recall.ts'
import type { Retriever } from '../retriever.ts'
import { makeAbsentRetriever } from '../retrievers/absent.ts'
import { lexicalRetriever } from '../retrievers/lexical.ts'
import { assertQuery, RecallInput, RecallOutput, toWire } from '../wire.ts'

const DEFAULT_TOP_K = 10

const RETRIEVERS: readonly Retriever[] = [
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
  handle: async (call, input) => {
    assertQuery(input.query)
    const budget = {
      topK: resolveTopK(input.top_k, call.limits.recallTopK),
      tokens: input.budget_tokens,
    }
    const { sources, kinds, types, tags, path, observed } = input
    const answer = await runRecall(call, RETRIEVERS, {
      query: input.query,
      scopes: narrowScopes(call, input.scopes),
      filters: { sources, kinds, types, tags, path, observed },
      budget,
    })
    return toWire(answer, call.read, budget)
  },
})

/** @throws HeddleError `INPUT_INVALID` above the configured maximum: fewer hits than asked for would pass for all there are. */
function resolveTopK(asked: number | undefined, max: number): number {
  const topK = asked ?? Math.min(DEFAULT_TOP_K, max)
  if (topK <= max) return topK
  const message = `Expected at most ${max}`
  throw new HeddleError('INPUT_INVALID', {
    message: `top_k: ${message}`,
    issues: [{ path: ['top_k'], code: 'too_big', message }],
  })
}

/** The asked kinds out of what the call reads. One the identity may not read is refused, not left out. */
function narrowScopes(call: OperationCall, asked: RecallInput['scopes']): ScopeSet {
  if (asked === undefined) return call.read
  const scopes = [...new Set(asked)].map((kind) => {
    const held = call.read.scopes.find((scope) => scope.kind === kind)
    if (held !== undefined) return held
    throw (
      readRefusal(call.identity, kind) ??
      new HeddleError('SCOPE_NOT_SERVED', { details: { scope: kind, op: 'recall' } })
    )
  })
  return makeScopeSet(scopes)
}
