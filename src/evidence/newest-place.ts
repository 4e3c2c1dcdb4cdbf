import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'
import { locateQuoteInSlices, type QuoteMatch } from './locate-quote.ts'
import { partAt, type Passage, type PassagePart } from './passage.ts'
import { listParts } from './passage.ts'
import { findRevision } from './sources.ts'
import { quoteOf, type Span } from './span.ts'

/** Code units on each side that tell equal places apart. */
const AROUND = 64

/** What became of a quoted span in the newest revision of its source. */
export interface NewestPlace {
  readonly revision: number
  /**
   * `same`: word for word in the chunk that was cited; `moved`: word for word elsewhere; `changed`: the
   * chunk is there with other words; `gone`: neither the words nor the chunk are there.
   */
  readonly status: 'same' | 'moved' | 'changed' | 'gone'
  /** Where the words are now, also when only white space or marks differ. */
  readonly span?: Span
  readonly chunk_id?: string
}

/** Looks a span of an older revision up in the newest one. A turn never changes, and is always the same. */
export async function findNewestPlace(
  tx: Transaction,
  read: ScopeSet,
  passage: Passage,
  cited: { readonly span: Span; readonly chunkId: string },
): Promise<NewestPlace | undefined> {
  const { source, revision, turnId } = passage
  const { start, end } = cited.span
  if (turnId !== undefined || revision === source.revision) {
    const at = { span: { start, end }, chunk_id: cited.chunkId }
    return { revision: source.revision, status: 'same', ...at }
  }
  const held = await findRevision(tx, read, source.sourceId, source.revision)
  if (held?.text === undefined) return undefined
  const newest: Passage = { source, revision: held.revision, text: held.text }
  const parts = await listParts(tx, read, newest)
  const chunk = parts.find(({ chunkId }) => chunkId === cited.chunkId)
  const match = await locateQuoteInSlices(newest.text, quoteOf(passage.text, cited.span), {
    within: chunk?.span,
    before: passage.text.slice(Math.max(0, start - AROUND), start),
    after: passage.text.slice(end, end + AROUND),
  })
  return toPlace(newest, parts, chunk, match)
}

function toPlace(
  { revision }: Passage,
  parts: readonly PassagePart[],
  chunk: PassagePart | undefined,
  match: QuoteMatch,
): NewestPlace {
  const span = placeOf(match)
  const place = span === undefined ? undefined : partAt(parts, span.start)
  if (match.kind === 'absent' || span === undefined || place === undefined) {
    return chunk === undefined
      ? { revision, status: 'gone' }
      : { revision, status: 'changed', chunk_id: chunk.chunkId }
  }
  const at = { span, chunk_id: place.chunkId }
  if (match.how === 'normalised') return { revision, status: 'changed', ...at }
  const isSame = place.chunkId === chunk?.chunkId
  return { revision, status: isSame ? 'same' : 'moved', ...at }
}

/** Of equal places the first: they say the same. */
function placeOf(match: QuoteMatch): Span | undefined {
  if (match.kind === 'found') return match.span
  return match.kind === 'ambiguous' ? match.places[0] : undefined
}
