import { backlinksOperation } from './operations/backlinks.ts'
import { createOperation } from './operations/create.ts'
import { diffOperation } from './operations/diff.ts'
import { exportOperation } from './operations/export.ts'
import { findOperation } from './operations/find.ts'
import { getOperation } from './operations/get.ts'
import { historyOperation } from './operations/history.ts'
import { importOperation } from './operations/import.ts'
import { linksOperation } from './operations/links.ts'
import { moveOperation } from './operations/move.ts'
import { observeOperation } from './operations/observe.ts'
import { outlineOperation } from './operations/outline.ts'
import { reorderOperation } from './operations/reorder.ts'
import { tagsOperation } from './operations/tags.ts'
import { updateOperation } from './operations/update.ts'

export { deleteSection } from './delete-section.ts'
export { assertOneName, documentNotFound, getDocument } from './find-document.ts'
export { DOCUMENT_RECORD_SOURCES } from './record-sources.ts'
export {
  chunkCountsSchema,
  DOCUMENT_SCOPES,
  documentPathSchema,
  pathFilterSchema,
  scopeSchema,
} from './wire.ts'

/** The operations of the documents plane. */
export const DOCUMENT_OPERATIONS = [
  observeOperation,
  importOperation,
  createOperation,
  updateOperation,
  moveOperation,
  reorderOperation,
  getOperation,
  outlineOperation,
  findOperation,
  tagsOperation,
  linksOperation,
  backlinksOperation,
  historyOperation,
  diffOperation,
  exportOperation,
] as const
