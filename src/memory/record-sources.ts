import type { RecordSource } from '../operation/record.ts'
import { DOCUMENT_RECORD_SOURCES } from '../planes/documents/index.ts'
import { KV_RECORD_SOURCE } from '../planes/kv/index.ts'

/** Everything `get` and `list` look through; a new plane adds its own here. */
export const RECORD_SOURCES: readonly RecordSource[] = [
  ...DOCUMENT_RECORD_SOURCES,
  KV_RECORD_SOURCE,
]
