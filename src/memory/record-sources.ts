import { EVIDENCE_RECORD_SOURCE, RECEIPT_FINDER } from '../evidence/index.ts'
import type { RecordFinder, RecordSource } from '../operation/record.ts'
import { DOCUMENT_RECORD_SOURCES } from '../planes/documents/index.ts'
import { KV_RECORD_SOURCE } from '../planes/kv/index.ts'

/** Everything `list` and `forget` look through; a new plane adds its own here. */
export const RECORD_SOURCES: readonly RecordSource[] = [
  ...DOCUMENT_RECORD_SOURCES,
  KV_RECORD_SOURCE,
  EVIDENCE_RECORD_SOURCE,
]

/** Everything `get` looks through. */
export const RECORD_FINDERS: readonly RecordFinder[] = [...RECORD_SOURCES, RECEIPT_FINDER]
