import { HeddleError } from '../core/errors.ts'
import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'
import type { Source } from './source.ts'
import { findRevision, findSource } from './sources.ts'
import type { Span } from './span.ts'
import {
  selectChunkPlace,
  selectLeaves,
  selectSourceOfPart,
  selectTurnText,
} from './sql/select-part.ts'

/** How a caller says where a quote should stand: in a source, or in one chunk or turn of it. */
export interface PassageName {
  readonly sourceId?: string | undefined
  /** Of a chunk or a turn. */
  readonly chunkId?: string | undefined
  /** Default: the newest, or the newest that has the chunk. */
  readonly revision?: number | undefined
}

/** A text that spans count in: one revision of a source, or one turn. */
export interface Passage {
  readonly source: Source
  readonly revision: number
  readonly text: string
  /** The turn that the text is the content of. */
  readonly turnId?: string
  /** Of the chunk that was named. */
  readonly within?: Span
}

/** A leaf chunk, or the turn itself, with where it lies in the passage's text. */
export interface PassagePart {
  readonly chunkId: string
  readonly span: Span
}

/**
 * The id of the source that is named, directly or by a part of it.
 *
 * @throws HeddleError `NOT_FOUND`, `INPUT_INVALID` when nothing is named.
 */
export async function getSourceId(
  tx: Transaction,
  read: ScopeSet,
  { sourceId, chunkId }: PassageName,
): Promise<string> {
  if (chunkId === undefined) {
    if (sourceId !== undefined) return sourceId
    throw invalid('one_of', 'Expected source_id or chunk_id')
  }
  const [row] = await tx.query(selectSourceOfPart(read, chunkId))
  const found = row?.['source_id'] as string | undefined
  const isOther = sourceId !== undefined && sourceId !== found
  if (found === undefined || isOther) throw missing({ id: chunkId })
  return found
}

/**
 * Reads the text that is named.
 *
 * @throws HeddleError `NOT_FOUND`; `INPUT_INVALID` for a conversation without one of its turns.
 */
export async function getPassage(
  tx: Transaction,
  read: ScopeSet,
  name: PassageName,
): Promise<Passage> {
  const sourceId = await getSourceId(tx, read, name)
  const source = await findSource(tx, read, sourceId)
  if (source === undefined) throw missing({ id: name.chunkId ?? sourceId })
  if (source.kind === 'conversation') return getTurnPassage(tx, read, source, name)
  const place = name.chunkId === undefined ? undefined : await getPlace(tx, read, name)
  const revision = place?.revision ?? name.revision ?? source.revision
  const held = await findRevision(tx, read, sourceId, revision)
  if (held?.text === undefined) throw missing({ id: sourceId, revision })
  return { source, revision, text: held.text, ...(place && { within: place.span }) }
}

/** The parts that a passage is made of, in order. */
export async function listParts(
  tx: Transaction,
  read: ScopeSet,
  { source, revision, text, turnId }: Passage,
): Promise<readonly PassagePart[]> {
  if (turnId !== undefined) return [{ chunkId: turnId, span: { start: 0, end: text.length } }]
  const rows = await tx.query(selectLeaves(read, source.sourceId, revision))
  return rows.map((row) => ({
    chunkId: row['chunk_id'] as string,
    span: { start: row['start_offset'] as number, end: row['end_offset'] as number },
  }))
}

/** The part that holds the offset. */
export function partAt(parts: readonly PassagePart[], offset: number): PassagePart | undefined {
  let low = 0
  let high = parts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((parts[middle]?.span.end ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return parts[low]
}

async function getTurnPassage(
  tx: Transaction,
  read: ScopeSet,
  source: Source,
  { chunkId, revision }: PassageName,
): Promise<Passage> {
  if (chunkId === undefined) {
    throw invalid('turn_required', 'The source is a conversation: name one of its turns')
  }
  const [row] = await tx.query(selectTurnText(read, chunkId))
  const added = row?.['revision'] as number | undefined
  if (added === undefined || (revision ?? added) !== added) throw missing({ id: chunkId, revision })
  return { source, revision: added, text: row?.['content'] as string, turnId: chunkId }
}

async function getPlace(
  tx: Transaction,
  read: ScopeSet,
  { chunkId = '', revision }: PassageName,
): Promise<{ readonly revision: number; readonly span: Span }> {
  const [row] = await tx.query(selectChunkPlace(read, chunkId, revision))
  if (row === undefined) throw missing({ id: chunkId, revision })
  const span = { start: row['start_offset'] as number, end: row['end_offset'] as number }
  return { revision: row['revision'] as number, span }
}

function missing(details: Readonly<Record<string, unknown>>): HeddleError {
  return new HeddleError('NOT_FOUND', { details })
}

function invalid(code: string, message: string): HeddleError {
  return new HeddleError('INPUT_INVALID', {
    message,
    issues: [{ path: ['chunk_id'], code, message }],
  })
}
