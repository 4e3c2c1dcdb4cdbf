import { distance } from 'fastest-levenshtein'

/** The candidate that `name` was most likely meant to be, letter case aside, or undefined when none is near (more than a third of its letters differ). */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const limit = Math.max(2, Math.floor(name.length / 3))
  let best: { candidate: string; letters: number } | undefined
  for (const candidate of candidates) {
    const letters = distance(wanted, candidate.toLowerCase())
    if (letters <= limit && (best === undefined || letters < best.letters))
      best = { candidate, letters }
  }
  return best?.candidate
}
