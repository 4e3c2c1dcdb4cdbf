import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import type { KvEntryId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { getScopeKind, type ScopeKind, type ScopeSet } from '../../identity/scope.ts'
import type { Receipt } from '../../operation/definition.ts'
import type { Outcome } from './change.ts'
import { type StoredChange, toStoredChange } from './rows.ts'
import { selectChanges } from './sql/select-changes.ts'
import { expiry } from './wire.ts'

/** The entry that a write left, from the write itself or from the history. */
export interface Written {
  readonly scope: ScopeKind
  readonly key: string
  readonly entryId: KvEntryId
  readonly revision: number
  /** JSON text. */
  readonly text: string
  readonly expiresAt?: Instant | undefined
}

/** Of a change that leaves an entry, which is every one but a deletion. */
export function toWritten({ state }: Outcome, scope: ScopeKind): Written {
  const { key, revision, live } = state
  if (live === undefined) throw new HeddleError('INTERNAL', { details: { rule: 'entry_expected' } })
  const { entryId, text, expiresAt } = live
  return { scope, key, revision, entryId, text, expiresAt }
}

/** The fields that every write answers with. */
export function writtenToWire({ scope, key, entryId, revision, text, expiresAt }: Written) {
  const bytes = Buffer.byteLength(key, 'utf8') + Buffer.byteLength(text, 'utf8')
  return { entry_id: entryId, key, scope, revision, bytes, ...expiry(expiresAt) }
}

const WrittenReceipt = z.object({ entry_id: z.string(), revision: z.number() })

/** What a repeated call needs to find again what it wrote. */
export function toWrittenReceipt(output: { readonly entry_id: string; readonly revision: number }) {
  return { entry_id: output.entry_id, revision: output.revision }
}

/** The entry as the write of the receipt left it; undefined when its history was erased. */
export async function findWritten(
  tx: Transaction,
  read: ScopeSet,
  receipt: Receipt,
): Promise<Written | undefined> {
  const { entry_id: entryId, revision } = WrittenReceipt.parse(receipt)
  const [change] = await findChanges(tx, read, [{ entryId, revision }])
  if (change?.text === undefined) return undefined
  return { ...change, text: change.text, scope: getScopeKind(read, change.scopeId) }
}

/** Changes by entry and revision, in that order; undefined for those that were erased. */
export async function findChanges(
  tx: Transaction,
  read: ScopeSet,
  wanted: readonly { readonly entryId: string; readonly revision: number }[],
): Promise<readonly (StoredChange | undefined)[]> {
  const ids = wanted.map(({ entryId }) => entryId)
  const revisions = wanted.map(({ revision }) => revision)
  const rows = await tx.query(selectChanges(read, ids, revisions))
  const found = new Map(rows.map(toStoredChange).map((change) => [nameOf(change), change]))
  return wanted.map((change) => found.get(nameOf(change)))
}

function nameOf(change: { readonly entryId: string; readonly revision: number }): string {
  return `${change.entryId} ${change.revision}`
}
