import { getOperation } from './operations/get.ts'
import { importOperation } from './operations/import.ts'
import { observeOperation } from './operations/observe.ts'
import { outlineOperation } from './operations/outline.ts'

export { DOCUMENT_RECORD_SOURCES } from './record-sources.ts'

/** The operations of the documents plane. */
export const DOCUMENT_OPERATIONS = [
  observeOperation,
  importOperation,
  getOperation,
  outlineOperation,
] as const
