import type { WriteCall } from '../../operation/call.ts'
import { deleteChunkChange } from './changes.ts'
import type { DocumentName } from './find-document.ts'
import { type RevisedDocument, reviseDocument } from './revise-document.ts'

/** Which part of which document, as of which revision. */
export interface SectionName extends DocumentName {
  readonly chunkId: string
  readonly ifRevision: number
}

/**
 * Takes a section with all it contains, or a leaf, out of a document: a new revision without it. The
 * revisions before keep it.
 *
 * @throws HeddleError `NOT_FOUND`, `REVISION_MISMATCH`, `DOCUMENT_EDIT_REFUSED`.
 */
export function deleteSection<Output>(
  call: WriteCall<unknown, Output>,
  { id, path, chunkId, ifRevision }: SectionName,
  toOutput: (revised: RevisedDocument) => Output,
): Promise<Output> {
  const name = { id, path }
  return reviseDocument(call, name, deleteChunkChange(name, ifRevision, chunkId), toOutput)
}
