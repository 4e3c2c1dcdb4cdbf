import { createHash } from 'node:crypto'

import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeRef } from '../identity/scope.ts'
import type { ItemInput } from './item.ts'
import { buildLexemes } from './lexemes.ts'
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
  if (items.length === 0) return
  await tx.execute(upsertItems(scope, items.map(toRow)))
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
  const { vector, wordCount } = buildLexemes(item)
  return {
    record_id: item.recordId,
    kind: item.kind,
    source_id: item.sourceId ?? null,
    revision: item.revision,
    title: item.title ?? null,
    text: item.text,
    language: item.language ?? null,
    lexemes: vector,
    word_count: wordCount,
    observed_at: item.observedAt ?? null,
    expires_at: item.expiresAt ?? null,
    type: item.type ?? null,
    tags: item.tags ?? [],
    path: item.path ?? null,
    author: item.author ?? null,
    input_hash: hashInput(item),
  }
}

/** SHA-256 as hex of what an embedding of the item is made from. */
function hashInput({ title, text }: ItemInput): string {
  const input = title === undefined ? text : `${title}\n${text}`
  return createHash('sha256').update(input, 'utf8').digest('hex')
}
