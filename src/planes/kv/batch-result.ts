import { z } from 'zod'

import type { Instant } from '../../core/instant.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeKind, ScopeSet } from '../../identity/scope.ts'
import type { Receipt } from '../../operation/definition.ts'
import type { BatchEntry } from './batch-entry.ts'
import { CHANGE_OPS, type ChangeOp, type Outcome } from './change.ts'
import { parseJson } from './json-value.ts'
import { lengthOf } from './list-answer.ts'
import { entryIdSchema, expiry, revisionSchema, scopeSchema } from './wire.ts'
import { findChanges } from './written.ts'

/** What became of one change of a batch. Values are left out, they could be many; counters are not. */
export const batchResultSchema = z.strictObject({
  op: z.enum(CHANGE_OPS),
  key: z.string(),
  entry_id: entryIdSchema.optional(),
  revision: revisionSchema.optional(),
  expires_at: z.string().optional(),
  deleted: z.boolean().optional().describe('delete: false when there was no such entry'),
  value: z.int().optional().describe('incr: the sum'),
  length: z.int().optional().describe('append_unique, push_bounded: items the list has now'),
  added: z.int().optional().describe('append_unique'),
  dropped: z.int().optional().describe('push_bounded'),
})

export type BatchResult = z.output<typeof batchResultSchema>

interface Left {
  readonly entryId: string
  readonly revision: number
  /** JSON text; absent after a deletion. */
  readonly text?: string | undefined
  readonly expiresAt?: Instant | undefined
}

export function toResult({ op, state, entryId, added, dropped }: Outcome): BatchResult {
  const { key, revision, live } = state
  const left = entryId && { entryId, revision, text: live?.text, expiresAt: live?.expiresAt }
  return buildResult(op, key, left, added ?? dropped)
}

/** `count` is what was added or dropped. */
function buildResult(
  op: ChangeOp,
  key: string,
  left: Left | undefined,
  count: number | undefined,
): BatchResult {
  if (left === undefined) return { op, key, deleted: false }
  const { entryId, revision, text, expiresAt } = left
  const common = { op, key, entry_id: entryId, revision, ...expiry(expiresAt) }
  if (text === undefined) return { ...common, deleted: true }
  const value = parseJson(text)
  switch (op) {
    case 'incr':
      return { ...common, value: Number(value) }
    case 'append_unique':
      return { ...common, length: lengthOf(value), added: count ?? 0 }
    case 'push_bounded':
      return { ...common, length: lengthOf(value), dropped: count ?? 0 }
    case 'set':
    case 'merge':
    case 'delete':
      return common
  }
}

const BatchReceipt = z.object({
  scope: scopeSchema,
  entry_ids: z.array(z.string()),
  revisions: z.array(z.string()),
  counts: z.array(z.string()),
})

/** Lists of text, one place per entry; empty where there is nothing to say. */
export function toBatchReceipt(output: {
  readonly scope: ScopeKind
  readonly results: readonly BatchResult[]
}): Receipt {
  const { scope, results } = output
  return {
    scope,
    entry_ids: results.map(({ entry_id: entryId }) => entryId ?? ''),
    revisions: results.map(({ revision }) => String(revision ?? '')),
    counts: results.map(({ added, dropped }) => String(added ?? dropped ?? '')),
  }
}

/** The answer of a repeated batch; undefined when the history of any of its entries was erased. */
export async function rebuildResults(
  tx: Transaction,
  read: ScopeSet,
  receipt: Receipt,
  entries: readonly BatchEntry[],
): Promise<{ scope: ScopeKind; results: BatchResult[] } | undefined> {
  const { scope, entry_ids: ids, revisions, counts } = BatchReceipt.parse(receipt)
  const wanted = ids.map((entryId, index) => ({ entryId, revision: Number(revisions[index]) }))
  const written = wanted.filter(({ entryId }) => entryId !== '')
  const found = [...(await findChanges(tx, read, written))]
  if (found.includes(undefined)) return undefined
  const results = entries.map(({ op, key }, index) => {
    const left = ids[index] === '' ? undefined : found.shift()
    return buildResult(op, key, left, Number(counts[index]))
  })
  return { scope, results }
}
