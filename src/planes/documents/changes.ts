import { HeddleError } from '../../core/errors.ts'
import { deleteChunk } from './edit/delete-chunk.ts'
import { moveSection, type MoveTarget } from './edit/move-section.ts'
import type { EditedDocument } from './edit/outline.ts'
import type { Joint } from './edit/pieces.ts'
import { writePieces } from './edit/pieces.ts'
import { reorderSections } from './edit/reorder-sections.ts'
import { replaceChunk } from './edit/replace-chunk.ts'
import type { StructuralEdit } from './edit/structural-edit.ts'
import { type DocumentName, documentNotFound } from './find-document.ts'
import type { HeldDocument } from './held-document.ts'
import type { GivenDescription } from './plan-text.ts'
import type { Change, WantedDocument } from './prepare-revision.ts'

/** A document as a caller hands it over as a whole; what is absent is taken from the text. */
export interface GivenDocument {
  readonly path: string
  readonly content: string
  readonly given: GivenDescription
  readonly chunkTokens?: number | undefined
}

/** Makes a document what was given, whatever was there. A size of chunks that was once given stays. */
export function importChange({ path, content, given, chunkTokens }: GivenDocument): Change {
  return (held) => ({
    path,
    text: content,
    chunkTokens: chunkTokens ?? held?.source.chunkTokens,
    given: held?.text === content ? keepGiven(held, given, true) : given,
  })
}

/** The same, unless the path is taken. */
export function createChange(document: GivenDocument): Change {
  const change = importChange(document)
  return (held, joint) => {
    if (held !== undefined) throw pathTaken(held.source.path, held.source.sourceId)
    return change(held, joint)
  }
}

/** What an update changes; every part is optional. */
export interface GivenUpdate {
  /** All of it, or of one chunk. */
  readonly content?: string | undefined
  readonly chunkId?: string | undefined
  readonly append?: string | undefined
  readonly given: GivenDescription
}

export function updateChange(
  name: DocumentName,
  ifRevision: number | undefined,
  { content, chunkId, append, given }: GivenUpdate,
): Change {
  return (found) => {
    const held = getHeld(found, name, ifRevision)
    const text = newText(held, content, chunkId, append)
    return { ...stay(held), text, given: keepGiven(held, given, text === held.text) }
  }
}

export function moveDocumentChange(
  name: DocumentName,
  ifRevision: number | undefined,
  to: string,
): Change {
  return (found) => {
    const held = getHeld(found, name, ifRevision)
    return { ...stay(held), path: to }
  }
}

export function moveSectionChange(
  name: DocumentName,
  ifRevision: number,
  chunkId: string,
  target: MoveTarget,
): Change {
  return structuralChange(name, ifRevision, (document, joint) =>
    moveSection(document, chunkId, target, joint),
  )
}

export function reorderChange(
  name: DocumentName,
  ifRevision: number,
  parentId: string | undefined,
  order: readonly string[],
): Change {
  return structuralChange(name, ifRevision, (document, joint) =>
    reorderSections(document, parentId, order, joint),
  )
}

/** Takes out a section with all it contains, or a leaf that holds no heading. */
export function deleteChunkChange(name: DocumentName, ifRevision: number, chunkId: string): Change {
  return structuralChange(name, ifRevision, (document, joint) =>
    deleteChunk(document, chunkId, joint),
  )
}

export function pathTaken(path: string, sourceId: string): HeddleError {
  return new HeddleError('PATH_TAKEN', { details: { path, id: sourceId } })
}

function structuralChange(
  name: DocumentName,
  ifRevision: number,
  edit: (document: EditedDocument, joint: Joint) => StructuralEdit,
): Change {
  return (found, joint) => {
    const held = getHeld(found, name, ifRevision)
    const { pieces, sections } = edit(held, joint)
    const text = writePieces(held.text, pieces)
    return { ...stay(held), text, sections, given: keepGiven(held, {}, text === held.text) }
  }
}

/** @throws HeddleError `NOT_FOUND`, `REVISION_MISMATCH`. */
function getHeld(
  held: HeldDocument | undefined,
  name: DocumentName,
  ifRevision: number | undefined,
): HeldDocument {
  if (held === undefined) throw documentNotFound(name)
  const { sourceId, revision: actual } = held.source
  if (ifRevision === undefined || ifRevision === actual) return held
  const details = { id: sourceId, expected: ifRevision, actual }
  throw new HeddleError('REVISION_MISMATCH', { details })
}

function stay(held: HeldDocument): WantedDocument {
  const { path, chunkTokens } = held.source
  return { path, text: held.text, chunkTokens, given: keepGiven(held, {}, true) }
}

/**
 * What is given now and what was given before. What came from the old text does not bind a new one, and
 * when the old text was written says nothing of it.
 */
function keepGiven(
  { source }: HeldDocument,
  given: GivenDescription,
  isSameText: boolean,
): GivenDescription {
  const kept = Object.fromEntries(source.givenFields.map((field) => [field, source[field]]))
  const { observedAt = isSameText ? source.observedAt : undefined } = given
  const now = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...kept, ...Object.fromEntries(now), ...(observedAt !== undefined && { observedAt }) }
}

function newText(
  held: HeldDocument,
  content: string | undefined,
  chunkId: string | undefined,
  append: string | undefined,
): string {
  if (append !== undefined) return held.text + append
  if (content === undefined) return held.text
  if (chunkId === undefined) return content
  return writePieces(held.text, replaceChunk(held, chunkId, content))
}
