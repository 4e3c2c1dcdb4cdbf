import type { Candidate } from './retriever.ts'

/** The usual constant of reciprocal rank fusion. */
const RANK_CONSTANT = 60

export interface RankedList {
  readonly retriever: string
  /** Best first. */
  readonly candidates: readonly Candidate[]
}

/** Place and score of a candidate in one list; ranks count from 1. */
interface ListPlace {
  readonly rank: number
  readonly score: number
}

export interface FusedCandidate {
  readonly recordId: string
  readonly score: number
  readonly ranks: ReadonlyMap<string, ListPlace>
}

/**
 * Merges ranked lists by reciprocal rank: a candidate scores 1 / (constant + rank) in every list that has
 * it. Equal scores are ordered by their best rank, then by the earlier list, then as that list has them.
 */
export function fuseRankings(
  lists: readonly RankedList[],
  rankConstant: number = RANK_CONSTANT,
): readonly FusedCandidate[] {
  const places = new Map<string, Map<string, ListPlace>>()
  for (const { retriever, candidates } of lists) {
    candidates.forEach(({ recordId, score }, index) => {
      const held = places.get(recordId) ?? new Map<string, ListPlace>()
      // A list that names a candidate twice counts it once, at its better place.
      if (!held.has(retriever)) held.set(retriever, { rank: index + 1, score })
      places.set(recordId, held)
    })
  }
  const fused = [...places].map(([recordId, ranks]) => {
    const score = [...ranks.values()].reduce((sum, { rank }) => sum + 1 / (rankConstant + rank), 0)
    return { recordId, score, ranks }
  })
  // The map keeps the order in which lists brought candidates, and sorting is stable.
  return fused.sort((a, b) => b.score - a.score || bestRank(a) - bestRank(b))
}

function bestRank({ ranks }: FusedCandidate): number {
  return Math.min(...[...ranks.values()].map(({ rank }) => rank))
}
