import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { insertForgetReceipt, readReceipt, selectForgetReceipt } from '../../evidence/index.ts'
import { makeScopeSet, SCOPE_KINDS, type ScopeRef } from '../../identity/scope.ts'
import { defineWrite } from '../../operation/definition.ts'
import type { ForgottenRecord } from '../../operation/record.ts'
import { RECORD_SOURCES } from '../record-sources.ts'
import { eraseIdempotencyReceipts } from '../sql/erase-idempotency-receipts.ts'

const MAX_IDS = 100

const Output = z.strictObject({
  receipt_id: z.uuid().describe('`get` shows the receipt from now on'),
  scope: z.enum(SCOPE_KINDS),
  state: z.enum(['erasing', 'erased']),
  forgotten: z.array(z.string()).describe('The ids that were asked for'),
  records: z.int().describe('With everything that went along, such as chunks'),
  counts: z.record(z.string(), z.int()).describe('Rows by table'),
  hashes: z
    .record(z.string(), z.string())
    .describe('By id: of what was erased, under a key of the tenant'),
})

const Receipt = z.object({ receipt_id: z.string() })

export const forgetOperation = defineWrite({
  name: 'forget',
  summary: 'Erase sources, turns, entries or evidence for good, by exact ids; gives a receipt',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: false,
  destructive: true,
  input: z.strictObject({
    ids: z
      .array(z.uuid())
      .min(1)
      .max(MAX_IDS)
      .describe('Of one scope; all of them or none. A chunk goes with its source'),
  }),
  output: Output,
  example: { ids: ['0b6f0f5e-3d5e-4a55-9d2c-0d6a3f1c9a10'] },
  positional: ['ids'],
  handle: (call, { ids }) => {
    // In one order for all callers, so that two of them do not wait for each other.
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].sort()
    return call.write(async (tx) => {
      const forgotten = await forgetAll(tx, call.target, wanted)
      const receiptId = call.newId()
      await tx.execute(eraseIdempotencyReceipts(call.target, namedIds(forgotten)))
      await tx.execute(insertForgetReceipt(call.target, toNewReceipt(receiptId, forgotten)))
      return showReceipt(tx, call.target, receiptId)
    })
  },
  toReceipt: ({ receipt_id }) => ({ receipt_id }),
  fromReceipt: async (tx, call, receipt) => {
    const { receipt_id: receiptId } = Receipt.parse(receipt)
    for (const scope of call.read.scopes) {
      const [row] = await tx.query(selectForgetReceipt(makeScopeSet([scope]), receiptId))
      if (row !== undefined) return showReceipt(tx, scope, receiptId)
    }
    return undefined
  },
})

/** Parts come before what they are part of, so that a turn may be named beside its conversation. */
const ORDER = ['evidence', 'chunk', 'turn', 'kv', 'source'] as const

async function forgetAll(
  tx: Transaction,
  scope: ScopeRef,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ForgottenRecord>> {
  const forgotten = new Map<string, ForgottenRecord>()
  for (const kind of ORDER) {
    const source = RECORD_SOURCES.find((candidate) => candidate.kind === kind)
    for (const id of ids) {
      if (forgotten.has(id)) continue
      const gone = await source?.forget(tx, scope, id)
      if (gone !== undefined) forgotten.set(id, gone)
    }
  }
  const missing = ids.filter((id) => !forgotten.has(id))
  if (missing.length === 0) return forgotten
  throw new HeddleError('NOT_FOUND', {
    message: `There is no such record in scope "${scope.kind}"; nothing was forgotten`,
    details: { ids: missing, scope: scope.kind },
  })
}

/** What receipts of calls may name: turns by themselves; chunks only beside their source. */
function namedIds(forgotten: ReadonlyMap<string, ForgottenRecord>): readonly string[] {
  return [...forgotten.keys()]
}

function toNewReceipt(receiptId: string, forgotten: ReadonlyMap<string, ForgottenRecord>) {
  const counts: Record<string, number> = {}
  for (const { counts: of } of forgotten.values()) {
    for (const [table, rows] of Object.entries(of)) counts[table] = (counts[table] ?? 0) + rows
  }
  return {
    receiptId,
    recordIds: [...new Set([...forgotten.values()].flatMap(({ recordIds }) => recordIds))],
    counts,
    hashes: Object.fromEntries([...forgotten].map(([id, { hash }]) => [id, hash])),
  }
}

async function showReceipt(
  tx: Transaction,
  scope: ScopeRef,
  receiptId: string,
): Promise<z.input<typeof Output>> {
  const [row] = await tx.query(selectForgetReceipt(makeScopeSet([scope]), receiptId))
  if (row === undefined) throw new HeddleError('INTERNAL')
  return { receipt_id: receiptId, scope: scope.kind, ...readReceipt(row) }
}
