import type { NewId, SourceId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import {
  appendTextRevision,
  holdsText,
  openSource,
  type Source,
  type SourceDescription,
} from '../../evidence/index.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import type { ParsedDocument } from './document.ts'
import { type ChunkCounts, countLeafChunks, storeChunks } from './store-chunks.ts'

/** A document as a caller hands it over; what is absent is taken from the text. */
export interface GivenDocument {
  readonly path: string
  readonly content: string
  readonly title?: string | undefined
  readonly type?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly observedAt?: Instant | undefined
}

export interface ImportedDocument {
  readonly sourceId: SourceId
  readonly revision: number
  /** False when the document was there as it was given. */
  readonly changed: boolean
  readonly chunks: ChunkCounts
}

/**
 * Stores a document under its path: a new source, or the next revision of the one that has the path.
 * What is there already, text and description, is left alone.
 */
export async function importDocument(
  tx: Transaction,
  scope: ScopeRef,
  newId: NewId,
  given: GivenDocument,
  parse: () => Promise<ParsedDocument>,
): Promise<ImportedDocument> {
  const wanted = {
    sourceId: newId() as SourceId,
    kind: 'document',
    path: given.path,
    tags: [],
  } as const
  const held = await openSource(tx, scope, wanted)
  if (await isHeld(tx, scope, held, given)) {
    const { sourceId, revision } = held
    const total = await countLeafChunks(tx, scope, sourceId, revision)
    return {
      sourceId,
      revision,
      changed: false,
      chunks: { total, added: 0, kept: total, removed: 0 },
    }
  }

  const parsed = await parse()
  const description = describe(given, parsed)
  const revision = await appendTextRevision(tx, scope, held, given.content, description)
  const { sourceId, kind } = held
  const chunks = await storeChunks(tx, scope, newId, {
    source: { sourceId, kind, path: given.path, revision, ...description },
    parsed,
    before: held.revision,
    isRedescribed: !isSameForItems(held, description),
  })
  return { sourceId, revision, changed: true, chunks }
}

/** True when the newest revision has this text and the source says what was given; what was not given may be anything. */
export async function isHeld(
  tx: Transaction,
  scope: ScopeRef,
  held: Source,
  given: GivenDocument,
): Promise<boolean> {
  if (held.revision === 0) return false
  const {
    title = held.title,
    type = held.type,
    tags = held.tags,
    observedAt = held.observedAt,
  } = given
  const isSame =
    title === held.title &&
    type === held.type &&
    observedAt === held.observedAt &&
    JSON.stringify(tags) === JSON.stringify(held.tags)
  return isSame && (await holdsText(tx, scope, held, given.content))
}

function describe(given: GivenDocument, parsed: ParsedDocument): SourceDescription {
  const title = given.title ?? parsed.title
  const type = given.type ?? parsed.type
  const { observedAt } = given
  return {
    tags: given.tags ?? parsed.tags ?? [],
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(observedAt !== undefined && { observedAt }),
    ...(parsed.fields !== undefined && { fields: parsed.fields }),
  }
}

/** What every item of the document carries beside its own text. */
function isSameForItems(held: SourceDescription, now: SourceDescription): boolean {
  const carried = ({ title, type, tags, observedAt }: SourceDescription) =>
    JSON.stringify([title, type, tags, observedAt])
  return carried(held) === carried(now)
}
