import { z } from 'zod'

import { canonicalJson } from '../core/canonical-json.ts'
import { HeddleError } from '../core/errors.ts'
import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeRef } from '../identity/scope.ts'
import type { Receipt } from '../operation/definition.ts'
import { claimIdempotencyKey } from './sql/claim-idempotency-key.ts'
import { selectIdempotencyReceipt } from './sql/select-idempotency-receipt.ts'
import { storeIdempotencyReceipt } from './sql/store-idempotency-receipt.ts'

/** The field that the router adds to the arguments of every write. */
export const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(256)
  .describe('Repeat a call safely: the same key and body give the same answer for 24 hours')

/** A receipt is null once what it names was forgotten. */
const StoredRow = z.object({ receipt: z.string().nullable(), same_body: z.boolean() })
const ReceiptShape = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
)

/** What makes two calls "the same call": operation and target are part of the key's place, so the body is the arguments. */
export function idempotencyBody(args: unknown): Buffer {
  return Buffer.from(canonicalJson(args), 'utf8')
}

/**
 * Takes the key inside the call's transaction. Undefined: it is ours, go on. A receipt: the same call
 * was done before.
 *
 * @throws HeddleError `IDEMPOTENCY_CONFLICT` when the key was used with another body,
 * `IDEMPOTENCY_RESULT_GONE` when what the call wrote was forgotten.
 */
export async function claimKey(
  tx: Transaction,
  scope: ScopeRef,
  op: string,
  key: string,
  body: Buffer,
): Promise<Receipt | undefined> {
  const claimed = await tx.query(claimIdempotencyKey(scope, op, key, body))
  if (claimed.length > 0) return undefined
  const [row] = await tx.query(selectIdempotencyReceipt(scope, op, key, body))
  if (row === undefined) throw new HeddleError('ENGINE_BUSY')
  const stored = StoredRow.parse(row)
  if (!stored.same_body) throw new HeddleError('IDEMPOTENCY_CONFLICT', { details: { op } })
  if (stored.receipt === null) throw new HeddleError('IDEMPOTENCY_RESULT_GONE')
  return ReceiptShape.parse(JSON.parse(stored.receipt))
}

export async function storeReceipt(
  tx: Transaction,
  scope: ScopeRef,
  op: string,
  key: string,
  receipt: Receipt,
): Promise<void> {
  await tx.execute(storeIdempotencyReceipt(scope, op, key, receipt))
}
