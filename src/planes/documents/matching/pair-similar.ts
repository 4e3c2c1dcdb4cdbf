import type { Pairing } from './pairing.ts'
import type { Likeness } from './similar-leaves.ts'

/** What speaks for a pair beside the words that it shares. */
const SAME_SECTION = 0.1
const SAME_NEIGHBOUR = 0.1

/** Of similarity and the above, so that a text in its old place need share little, one far away much. */
const MIN_SCORE = 0.35

/** Pairs leaves by how much they have in common and where they stand, the likest first. */
export function pairSimilar(pairing: Pairing, likenesses: readonly Likeness[]): void {
  const scored = likenesses
    .map((likeness) => ({ ...likeness, score: score(pairing, likeness) }))
    .filter(({ score: total, similarity }) => total >= MIN_SCORE && similarity > 0)
  scored.sort((a, b) => b.score - a.score || a.parsed - b.parsed || a.held - b.held)
  for (const { parsed, held } of scored) pairing.pair(parsed, held)
}

function score(pairing: Pairing, { parsed, held, similarity }: Likeness): number {
  const isSamePlace =
    pairing.isSameSection(parsed, held) || pairing.parsed.path(parsed) === pairing.held.path(held)
  const neighbours = [-1, 1].filter((side) => isNeighbourSame(pairing, parsed, held, side))
  return similarity + (isSamePlace ? SAME_SECTION : 0) + neighbours.length * SAME_NEIGHBOUR
}

function isNeighbourSame(pairing: Pairing, parsed: number, held: number, side: number): boolean {
  const next = pairing.parsed.leafBeside(parsed, side)
  const heldNext = pairing.held.leafBeside(held, side)
  // The beginning and the end of a text are neighbours too.
  if (next === undefined || heldNext === undefined) return next === heldNext
  return pairing.heldOf(next) === heldNext
}

/** Held leaves that a run of new ones may stand for. */
const MAX_RUN = 64

/**
 * Pairs what stands between the same neighbours, in order, when there are as many leaves on both sides
 * and each stands in the same section: text that was written anew in its place.
 */
export function pairBetweenNeighbours(pairing: Pairing): void {
  const { held, parsed } = pairing
  let run: number[] = []
  let before = -1
  for (const leaf of [...parsed.leaves, undefined]) {
    const old = leaf === undefined ? undefined : pairing.heldOf(leaf)
    if (leaf !== undefined && old === undefined) {
      run.push(leaf)
      continue
    }
    const after = old === undefined ? held.leaves.length : held.placeOf(old)
    if (run.length > 0) pairRun(pairing, run, before, after)
    run = []
    before = after
  }
}

function pairRun(pairing: Pairing, run: readonly number[], before: number, after: number): void {
  if (after - before - 1 !== run.length || run.length > MAX_RUN) return
  const old = pairing.held.leaves.slice(before + 1, after)
  const fits = run.every((leaf, at) => {
    const held = old[at]
    return held !== undefined && !pairing.isHeldTaken(held) && pairing.isSameSection(leaf, held)
  })
  if (fits) run.forEach((leaf, at) => pairing.pair(leaf, old[at] as number))
}
