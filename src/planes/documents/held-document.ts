import type { Row, Transaction } from '../../engines/postgres/engine.ts'
import { findRevision, type Source, toSource } from '../../evidence/index.ts'
import { makeScopeSet, type ScopeRef } from '../../identity/scope.ts'
import type { DocumentName } from './find-document.ts'
import type { HeldRevision } from './plan-revision.ts'
import { type StoredChunk, toChunk } from './rows.ts'
import { selectChunksOfRevision } from './sql/select-chunks.ts'
import { selectDocument } from './sql/select-document.ts'

export type GivenField = 'title' | 'type' | 'tags'

/** What was decided for a document and holds for later revisions too. */
export interface DocumentSettings {
  /** What of its description was given, and so does not follow the text. */
  readonly givenFields: readonly GivenField[]
  /** Bound of a leaf chunk; absent: the default. */
  readonly chunkTokens?: number
}

export type DocumentSource = Source & DocumentSettings & { readonly path: string }

/** A document as it is, for a change to be computed from. */
export interface HeldDocument {
  readonly source: DocumentSource
  readonly text: string
  /** In document order, sections too. */
  readonly chunks: readonly StoredChunk[]
}

/** Reads a document of one scope; one without a revision is still being made by somebody else and is not there. */
export async function readHeldDocument(
  tx: Transaction,
  scope: ScopeRef,
  name: DocumentName,
): Promise<HeldDocument | undefined> {
  const [row] = await tx.query(selectDocument(scope, name))
  if (row === undefined) return undefined
  const source = toDocumentSource(row)
  const { sourceId, revision } = source
  const scopes = makeScopeSet([scope])
  const held = await findRevision(tx, scopes, sourceId, revision)
  if (held?.text === undefined) return undefined
  const rows = await tx.query(selectChunksOfRevision(scopes, sourceId, revision))
  return { source, text: held.text, chunks: rows.map(toChunk) }
}

export function toDocumentSource(row: Row): DocumentSource {
  const source = toSource(row)
  const chunkTokens = row['chunk_tokens'] as number | null
  return {
    ...source,
    path: source.path ?? '',
    givenFields: row['given_fields'] as GivenField[],
    ...(chunkTokens !== null && { chunkTokens }),
  }
}

export function toHeldRevision({ source, text, chunks }: HeldDocument): HeldRevision {
  return { revision: source.revision, text, chunks, description: source, path: source.path }
}

/** Changes whenever anything of the document does. */
export function fingerprintOf(source: DocumentSource): string {
  const { revision, updatedAt, path, title, type, tags, observedAt, chunkTokens, givenFields } =
    source
  return JSON.stringify([
    revision,
    updatedAt,
    path,
    title,
    type,
    tags,
    observedAt,
    chunkTokens,
    givenFields,
  ])
}
