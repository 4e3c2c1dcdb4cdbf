import type { Span } from './span.ts'

/** Trigrams of a quote that are looked for; a longer quote is known by its beginning. */
const MAX_TRIGRAMS = 20_000
/** Share of a quote's trigrams, in hundredths, that a passage needs to be named. */
const MIN_SHARE = 30
/** Code units between two chances to do other work. */
const SLICE = 256 * 1024

/**
 * The passages that have most of a quote's trigrams, best first, at most `limit`: where somebody who
 * misquoted should look. Gives way to other work between slices of the text.
 */
export async function findNearestPassages<P extends { readonly span: Span }>(
  text: string,
  passages: readonly P[],
  quote: string,
  limit: number,
): Promise<readonly P[]> {
  const lastSeen = new Map<number, number>()
  for (const trigram of trigrams(quote.slice(0, MAX_TRIGRAMS))) lastSeen.set(trigram, -1)
  if (lastSeen.size === 0) return []
  const scored: { passage: P; shared: number }[] = []
  let read = 0
  for (const [index, passage] of passages.entries()) {
    const { start, end } = passage.span
    const shared = countShared(text.slice(start, end), index, lastSeen)
    if (shared * 100 >= lastSeen.size * MIN_SHARE) scored.push({ passage, shared })
    read += end - start
    if (read < SLICE) continue
    read = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
  return scored
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limit)
    .map(({ passage }) => passage)
}

/** Distinct trigrams of the passage that are among those of the quote. */
function countShared(passage: string, index: number, lastSeen: Map<number, number>): number {
  let shared = 0
  for (const trigram of trigrams(passage)) {
    const seen = lastSeen.get(trigram)
    if (seen === undefined || seen === index) continue
    lastSeen.set(trigram, index)
    shared += 1
  }
  return shared
}

/** Every three code units in a row, as one number; case does not count. */
function* trigrams(text: string): Generator<number> {
  const lower = text.toLowerCase()
  for (let at = 0; at + 2 < lower.length; at += 1) {
    yield (
      lower.charCodeAt(at) * 0x1_0000_0000 +
      lower.charCodeAt(at + 1) * 0x1_0000 +
      lower.charCodeAt(at + 2)
    )
  }
}
