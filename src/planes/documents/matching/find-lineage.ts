import type { Pairing } from './pairing.ts'
import type { Likeness } from './similar-leaves.ts'

/** The share of a text that has to be in another for one to have come from the other. */
const MIN_CONTAINED = 0.6

/** A leaf that came from a held one without simply being it; indexes. */
export interface IndexedLineage {
  readonly chunk: number
  readonly from: number
  readonly change: 'split' | 'merge'
}

/**
 * Finds new leaves that are parts of a held one (it was split), and held leaves without a place of their
 * own that are parts of a leaf of the new text (it was merged).
 */
export function findLineage(
  pairing: Pairing,
  likenesses: readonly Likeness[],
): readonly IndexedLineage[] {
  const whole = new Map<number, Likeness>()
  const merged = new Map<number, Likeness>()
  for (const likeness of likenesses) {
    const { parsed, held, ofParsed, ofHeld } = likeness
    if (!pairing.isPaired(parsed) && ofParsed >= MIN_CONTAINED) {
      if (ofParsed > (whole.get(parsed)?.ofParsed ?? 0)) whole.set(parsed, likeness)
    } else if (!pairing.isHeldTaken(held) && ofHeld >= MIN_CONTAINED) {
      if (ofHeld > (merged.get(held)?.ofHeld ?? 0)) merged.set(held, likeness)
    }
  }
  return [
    ...[...whole.values()].map((likeness) => toLineage(likeness, 'split')),
    ...[...merged.values()].map((likeness) => toLineage(likeness, 'merge')),
  ]
}

function toLineage({ parsed, held }: Likeness, change: IndexedLineage['change']): IndexedLineage {
  return { chunk: parsed, from: held, change }
}
