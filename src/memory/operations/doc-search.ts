import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import { invalidInput } from '../../core/invalid-input.ts'
import { makeScopeSet, type ScopeSet } from '../../identity/scope.ts'
import type { OperationCall } from '../../operation/call.ts'
import { defineRead } from '../../operation/definition.ts'
import { DOCUMENT_SCOPES, getDocument, pathFilterSchema } from '../../planes/documents/index.ts'
import { resolveTopK, RETRIEVERS } from '../../recall/operations/recall.ts'
import { runRecall } from '../../recall/recall.ts'
import { assertQuery, RecallOutput, toWire } from '../../recall/wire.ts'

/** Stands for all documents in the filters of recall. */
const ALL_PATHS = '/'

const name = z.string().trim().min(1).max(128)

const Input = z.strictObject({
  query: z.string().describe('What to look for, in words'),
  id: z.uuid().optional().describe('Only the document of this source_id'),
  path: pathFilterSchema.optional(),
  paths: z
    .array(pathFilterSchema)
    .min(1)
    .max(100)
    .optional()
    .describe('Only these documents; one with a slash at its end stands for all below'),
  types: z.array(name).min(1).max(100).optional().describe('Of the documents'),
  tags: z.array(name).min(1).max(100).optional().describe('Only what has all of them'),
  top_k: z.int().min(1).optional().describe('Hits at most; default 10'),
  budget_tokens: z.int().min(1).optional().describe('Tokens that all hits may have together'),
})
type Input = z.output<typeof Input>

export const docSearchOperation = defineRead({
  name: 'doc.search',
  summary: 'Search the chunks of documents by words, with citations',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: Input,
  output: RecallOutput,
  example: { query: 'run the installer', path: 'guides/', tags: ['setup'] },
  positional: ['query'],
  handle: async (call, input) => {
    assertQuery(input.query)
    assertOnePlace(input)
    const budget = {
      topK: resolveTopK(input.top_k, call.limits.recallTopK),
      tokens: input.budget_tokens,
    }
    const { scopes, paths } = await resolvePlace(call, input)
    const { types, tags } = input
    const filters = { kinds: ['chunk' as const], types, tags, sources: { paths } }
    const request = { query: input.query, scopes, filters, budget }
    return toWire(await runRecall(call, RETRIEVERS, request), call.read, budget)
  },
})

interface SearchPlace {
  readonly scopes: ScopeSet
  readonly paths: readonly string[]
}

/**
 * Where to look. A document that is named must exist: that there is none is not the same as that nothing
 * was found in it.
 *
 * @throws HeddleError `NOT_FOUND`.
 */
function resolvePlace(call: OperationCall, { id, path, paths }: Input): Promise<SearchPlace> {
  return call.readTransaction(async (tx) => {
    if (id !== undefined) {
      const document = await getDocument(tx, call.read, { id })
      const scope = call.read.scopes.find(({ scopeId }) => scopeId === document.scopeId)
      // Its path names it in its own scope alone.
      if (scope === undefined || document.path === undefined) throw new HeddleError('NOT_FOUND')
      return { scopes: makeScopeSet([scope]), paths: [document.path] }
    }
    const wanted = path === undefined ? (paths ?? [ALL_PATHS]) : [path]
    for (const exact of wanted.filter((given) => !given.endsWith('/'))) {
      await getDocument(tx, call.read, { path: exact })
    }
    return { scopes: call.read, paths: wanted }
  })
}

/** @throws HeddleError `INPUT_INVALID` when the place is said more than once: which of them counts would be a guess. */
function assertOnePlace({ id, path, paths }: Input): void {
  if ([id, path, paths].filter((given) => given !== undefined).length <= 1) return
  throw invalidInput(['path'], 'one_of', 'Expected at most one of id, path and paths')
}
