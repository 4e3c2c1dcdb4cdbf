import { isGraphemeBreak } from './grapheme-breaks.ts'
import { normaliseText, NormalScan } from './normalise-text.ts'
import { SequenceMatcher } from './sequence-matcher.ts'
import type { Span } from './span.ts'

/** How a quote was recognised: word for word, or but for white space, marks and forms of characters. */
export type MatchKind = 'exact' | 'normalised'

/** What helps to choose among several places. */
export interface QuoteHint {
  /** The place starts in there, such as in a chunk. */
  readonly within?: Span | undefined
  /** What stands right before it. */
  readonly before?: string | undefined
  /** What stands right after it. */
  readonly after?: string | undefined
}

export type QuoteMatch =
  | { readonly kind: 'found'; readonly how: MatchKind; readonly span: Span }
  | {
      readonly kind: 'ambiguous'
      readonly how: MatchKind
      /** The first of them in order. */
      readonly places: readonly Span[]
      readonly total: number
    }
  | { readonly kind: 'absent' }

/** Places that are looked at when hints have to choose. */
const MAX_PLACES = 1000
/** Code units between two chances to do other work. */
const SLICE = 64 * 1024

/**
 * Finds the one place of a quote in a text: an exact one first, else one that is equal in normal form
 * (see {@link NormalScan}). Neither end ever cuts a surrogate pair or a grapheme cluster. Takes time
 * linear in the text.
 */
export function locateQuote(text: string, quote: string, hint: QuoteHint = {}): QuoteMatch {
  const steps = locating(text, quote, hint)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same in slices of a few milliseconds, for texts of any length on a thread that serves others. */
export async function locateQuoteInSlices(
  text: string,
  quote: string,
  hint: QuoteHint = {},
): Promise<QuoteMatch> {
  const steps = locating(text, quote, hint)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function* locating(text: string, quote: string, hint: QuoteHint): Generator<void, QuoteMatch> {
  const exact = new Places(text, hint)
  if (quote.trim() === '') return { kind: 'absent' }
  yield* scanExact(text, quote, exact)
  if (exact.total > 0) return exact.choose('exact')

  const normal = normaliseText(quote)
  if (normal === '') return { kind: 'absent' }
  const alike = new Places(text, hint)
  const matcher = new SequenceMatcher(normal, (span) => alike.add(span))
  const scan = new NormalScan(text, matcher.take.bind(matcher))
  while (!scan.advance(SLICE)) yield
  return alike.total > 0 ? alike.choose('normalised') : { kind: 'absent' }
}

function* scanExact(text: string, quote: string, places: Places): Generator<void, void> {
  const matcher = new SequenceMatcher(quote, (span) => places.add(span))
  for (let from = 0; from < text.length; from += SLICE) {
    const to = Math.min(from + SLICE, text.length)
    for (let at = from; at < to; at += 1) {
      matcher.take(text.charCodeAt(at), at, at + 1, true, true)
    }
    if (to < text.length) yield
  }
}

/** Places that a quote has, those that fit `within` apart from the others. */
class Places {
  readonly #text: string
  readonly #hint: QuoteHint
  readonly #inside: Span[] = []
  readonly #outside: Span[] = []
  #insideTotal = 0
  total = 0

  constructor(text: string, hint: QuoteHint) {
    this.#text = text
    this.#hint = hint
  }

  add(span: Span): void {
    const { start, end } = span
    if (!isGraphemeBreak(this.#text, end) || !isGraphemeBreak(this.#text, start)) return
    this.total += 1
    const { within } = this.#hint
    const isInside = within !== undefined && within.start <= span.start && span.start < within.end
    if (isInside) this.#insideTotal += 1
    const list = isInside ? this.#inside : this.#outside
    if (list.length < MAX_PLACES) list.push(span)
  }

  choose(how: MatchKind): QuoteMatch {
    const hasInside = this.#inside.length > 0
    const fitting = hasInside ? this.#inside : this.#outside
    const total = hasInside ? this.#insideTotal : this.total
    const [only] = fitting
    if (total === 1 && only !== undefined) return { kind: 'found', how, span: only }
    const around = total > MAX_PLACES ? [] : fitting.filter((span) => this.#fitsAround(span))
    const [place] = around
    if (around.length === 1 && place !== undefined) return { kind: 'found', how, span: place }
    const places = around.length > 1 ? around : fitting
    return { kind: 'ambiguous', how, places, total: around.length > 1 ? around.length : total }
  }

  #fitsAround({ start, end }: Span): boolean {
    const text = this.#text
    const before = normaliseText(this.#hint.before ?? '')
    const after = normaliseText(this.#hint.after ?? '')
    const reach = (words: string): number => 4 * words.length + 64
    return (
      normaliseText(text.slice(Math.max(0, start - reach(before)), start)).endsWith(before) &&
      normaliseText(text.slice(end, end + reach(after))).startsWith(after)
    )
  }
}
