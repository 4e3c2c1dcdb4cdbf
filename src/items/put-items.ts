import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeRef } from '../identity/scope.ts'
import type { ItemInput } from './item.ts'
import { prepareItem } from './prepare-item.ts'
import { deleteItems } from './sql/delete-items.ts'
import { type ItemRow, upsertItems } from './sql/upsert-items.ts'

/**
 * Puts records into recall, or replaces what recall holds of them, in one statement and inside the
 * transaction that writes the records. No two of `items` may have the same id.
 */
export async function putItems(
  tx: Transaction,
  scope: ScopeRef,
  items: readonly ItemInput[],
): Promise<void> {
  await putPrepared(tx, scope, items.map(toRow))
}

/** {@link putItems} for what {@link prepareItem} has analysed before, with the ids that were not known then. */
export async function putPrepared(
  tx: Transaction,
  scope: ScopeRef,
  rows: readonly ItemRow[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.execute(upsertItems(scope, rows))
}

/** Takes records out of recall; ids that it does not hold are passed over. */
export async function removeItem(
  tx: Transaction,
  scope: ScopeRef,
  recordIds: readonly string[],
): Promise<void> {
  if (recordIds.length === 0) return
  await tx.execute(deleteItems(scope, recordIds))
}

function toRow(item: ItemInput): ItemRow {
  return {
    ...prepareItem(item),
    record_id: item.recordId,
    source_id: item.sourceId ?? null,
    revision: item.revision,
  }
}
