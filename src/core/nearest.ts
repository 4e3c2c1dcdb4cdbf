import { distance } from 'fastest-levenshtein'

/** The candidate that `name` was most likely meant to be, letter case aside, or undefined when none is near (more than a third of its letters differ). */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const limit = Math.max(2, Math.floor(name.length / 3))
  let best: { candidate: string; letters: number } | undefined
  for (const candidate of candidates) {
    // No distance is less than that of the lengths; comparing a very long name would take seconds.
    if (Math.abs(wanted.length - candidate.length) > limit) continue
    const letters = distance(wanted, candidate.toLowerCase())
    if (letters <= limit && (best === undefined || letters < best.letters))
      best = { candidate, letters }
  }
  return best?.candidate
}
