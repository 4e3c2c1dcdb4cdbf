import type { Pairing } from './pairing.ts'
import type { Side } from './piece.ts'

/** Levels of headings: as many rounds let a pair of sections speak for the sections around them. */
const ROUNDS = 6

/** Of the text right inside a held section, what has to be in a section of another name that continues it. */
const MIN_SHARE = 0.3

interface Vote {
  readonly section: number
  readonly held: number
  readonly weight: number
}

/**
 * Pairs sections that hold chunks which are pairs: those of the same headings first, then those with
 * most text in common.
 */
export function pairSectionsByContent(pairing: Pairing): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const votes = countVotes(pairing)
    if (votes.length === 0) return
    votes.sort((a, b) => b.weight - a.weight || a.section - b.section || a.held - b.held)
    for (const { section, held } of votes) pairing.pair(section, held)
  }
}

function countVotes(pairing: Pairing): Vote[] {
  const { held, parsed } = pairing
  const weights = new Map<number, Map<number, number>>()
  const sizes = new Map<number, number>()
  held.pieces.forEach((piece, index) => {
    if (piece.parent !== undefined) {
      sizes.set(piece.parent, (sizes.get(piece.parent) ?? 0) + lengthOf(held, index))
    }
  })
  parsed.pieces.forEach(({ parent }, index) => {
    const old = pairing.heldOf(index)
    const oldParent = old === undefined ? undefined : held.at(old).parent
    if (parent === undefined || oldParent === undefined) return
    if (pairing.isPaired(parent) || pairing.isHeldTaken(oldParent)) return
    const row = weights.get(parent) ?? new Map<number, number>()
    weights.set(parent, row)
    row.set(oldParent, (row.get(oldParent) ?? 0) + lengthOf(parsed, index))
  })
  const votes: Vote[] = []
  for (const [section, row] of weights) {
    for (const [old, weight] of row) {
      const isSameName = parsed.path(section) === held.path(old)
      // A name outweighs any text: a section that only lost most of its text is still itself.
      if (isSameName) votes.push({ section, held: old, weight: weight + parsed.text.length })
      else if (weight >= MIN_SHARE * (sizes.get(old) ?? 0)) {
        votes.push({ section, held: old, weight })
      }
    }
  }
  return votes
}

function lengthOf(side: Side, index: number): number {
  const { start, end } = side.at(index).quote
  return end - start
}
