import { createHash } from 'node:crypto'

import type { ItemInput } from './item.ts'
import { buildLexemes } from './lexemes.ts'
import type { ItemRow } from './sql/upsert-items.ts'

/** What of a record is searched and shown, analysed, before it is known what the record's id will be. */
export type PreparedItem = Omit<ItemRow, 'record_id' | 'source_id' | 'revision'>

/** Analyses an item. The slow part of putting it; takes plain data only, so it may run in any thread. */
export function prepareItem(
  item: Omit<ItemInput, 'recordId' | 'sourceId' | 'revision'>,
): PreparedItem {
  const { vector, wordCount } = buildLexemes(item)
  return {
    kind: item.kind,
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

/** UTF-16 code units of what is handed on with an item. */
export function lengthOfItem({ text, lexemes }: PreparedItem): number {
  return text.length + lexemes.length
}

/** SHA-256 as hex of what an embedding of the item is made from. */
function hashInput(item: Pick<ItemInput, 'title' | 'text' | 'searchText'>): string {
  const { title, text, searchText = text } = item
  const input = title === undefined ? searchText : `${title}\n${searchText}`
  return createHash('sha256').update(input, 'utf8').digest('hex')
}
