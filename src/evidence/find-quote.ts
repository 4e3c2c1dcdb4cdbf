import { HeddleError } from '../core/errors.ts'
import { isGraphemeBreak } from './grapheme-breaks.ts'
import { locateQuoteInSlices, type MatchKind } from './locate-quote.ts'
import { findNearestPassages } from './nearest-passages.ts'
import { partAt, type Passage, type PassagePart } from './passage.ts'
import { type HashedSpan, hashSpan, type Span } from './span.ts'

/** Candidates that a refusal names. */
const MAX_CANDIDATES = 10
const MAX_NEAREST = 3

/** What is quoted: words to look for, or a span of which the caller may know the hash. */
export interface Quotation {
  readonly quote?: string | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly span?: Span | undefined
  /** SHA-256 as hex. */
  readonly hash?: string | undefined
}

export interface FoundQuote {
  readonly span: HashedSpan
  /** The part that the span starts in. */
  readonly chunkId: string
  readonly how: MatchKind | 'span'
}

/**
 * Finds what is quoted in a passage. The refusals name spans and chunk ids, never text.
 *
 * @throws HeddleError `QUOTE_NOT_FOUND`, `QUOTE_AMBIGUOUS`, `SPAN_INVALID`, `EVIDENCE_HASH_MISMATCH`,
 * `INPUT_INVALID`.
 */
export async function findQuote(
  passage: Passage,
  parts: readonly PassagePart[],
  quotation: Quotation,
): Promise<FoundQuote> {
  const { quote, span, hash } = quotation
  if ((quote === undefined) === (span === undefined)) throw oneOf()
  const found =
    span === undefined
      ? await findWords(passage, parts, quote ?? '', quotation)
      : checkSpan(passage, parts, span)
  if (hash !== undefined && hash.toLowerCase() !== found.span.hash) {
    const { start, end } = found.span
    throw new HeddleError('EVIDENCE_HASH_MISMATCH', { details: { span: { start, end } } })
  }
  return found
}

function checkSpan(
  { text, within }: Passage,
  parts: readonly PassagePart[],
  span: Span,
): FoundQuote {
  const { start, end } = span
  const isInside = start >= 0 && start < end && end <= text.length
  const isWhole = isInside && isGraphemeBreak(text, start) && isGraphemeBreak(text, end)
  const isThere = within === undefined || (within.start <= start && start < within.end)
  const part = partAt(parts, start)
  if (!isWhole || !isThere || part === undefined) {
    throw new HeddleError('SPAN_INVALID', {
      details: { span: { start, end }, length: text.length },
    })
  }
  return { span: hashSpan(text, span), chunkId: part.chunkId, how: 'span' }
}

async function findWords(
  passage: Passage,
  parts: readonly PassagePart[],
  quote: string,
  { before, after }: Quotation,
): Promise<FoundQuote> {
  const { text, within } = passage
  const match = await locateQuoteInSlices(text, quote, { within, before, after })
  if (match.kind === 'absent') throw await notFound(passage, parts, quote)
  if (match.kind === 'ambiguous') {
    throw new HeddleError('QUOTE_AMBIGUOUS', {
      details: { ...placed(passage, parts, match.places), places: match.total },
    })
  }
  const { span, how } = match
  // The chunk that was named is where it must start: elsewhere is only a candidate.
  const isThere = within === undefined || (within.start <= span.start && span.start < within.end)
  const part = partAt(parts, span.start)
  if (!isThere || part === undefined) {
    throw new HeddleError('QUOTE_NOT_FOUND', { details: placed(passage, parts, [span]) })
  }
  return { span: hashSpan(text, span), chunkId: part.chunkId, how }
}

async function notFound(
  passage: Passage,
  parts: readonly PassagePart[],
  quote: string,
): Promise<HeddleError> {
  const nearest = await findNearestPassages(passage.text, parts, quote, MAX_NEAREST)
  const spans = nearest.map(({ span }) => span)
  return new HeddleError('QUOTE_NOT_FOUND', { details: placed(passage, parts, spans) })
}

function placed(
  { source, revision }: Passage,
  parts: readonly PassagePart[],
  spans: readonly Span[],
): Record<string, unknown> {
  const candidates = spans.slice(0, MAX_CANDIDATES).map(({ start, end }) => ({
    chunk_id: partAt(parts, start)?.chunkId,
    span: { start, end },
  }))
  return { source_id: source.sourceId, revision, candidates }
}

function oneOf(): HeddleError {
  const message = 'Expected either quote or span'
  return new HeddleError('INPUT_INVALID', {
    message,
    issues: [{ path: ['quote'], code: 'one_of', message }],
  })
}
