import type { KvEntryId } from '../../core/ids.ts'
import type { RecordSource } from '../../operation/record.ts'
import { forgetEntry } from './forget-entry.ts'
import { toEntry, toTotal } from './rows.ts'
import { countEntries } from './sql/count-entries.ts'
import { pageEntries } from './sql/page-entries.ts'
import { selectEntryById } from './sql/select-entry-by-id.ts'
import { entryToWire } from './wire.ts'

/** Longest title of a line of `list`, in UTF-16 code units. */
const TITLE_LENGTH = 200

/** Lets `get` find live entries by id and `list` page through them. */
export const KV_RECORD_SOURCE: RecordSource = {
  kind: 'kv',
  find: async (tx, read, id) => {
    const [row] = await tx.query(selectEntryById(read, id as KvEntryId))
    if (row === undefined) return undefined
    const entry = toEntry(row)
    const { entry_id: _id, scope: _scope, ...record } = entryToWire(entry, read)
    return { id: entry.entryId, kind: 'kv', scopeId: entry.scopeId, record }
  },
  page: async (tx, read, afterId, limit) => {
    const rows = await tx.query(pageEntries(read, afterId, limit))
    return rows.map(toEntry).map((entry) => ({
      id: entry.entryId,
      kind: 'kv',
      scopeId: entry.scopeId,
      title: clip(entry.key),
      revision: entry.revision,
      insertedAt: entry.insertedAt,
    }))
  },
  count: async (tx, read) => {
    const [row] = await tx.query(countEntries(read, ''))
    return toTotal(row)
  },
  forget: forgetEntry,
}

/** Cuts between characters, never inside a surrogate pair. */
function clip(key: string): string {
  if (key.length <= TITLE_LENGTH) return key
  const cut = key.slice(0, TITLE_LENGTH - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
