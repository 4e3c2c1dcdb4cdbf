import type { Pairing } from './pairing.ts'
import { countShared, type Features, featuresOf } from './text-features.ts'

/** Features of a held leaf by which it is looked up: the smallest, a sample. */
const SKETCH_SIZE = 64
/** A feature of more leaves than that tells nothing about which one it is. */
const MAX_POSTINGS = 24
/** Held leaves that a new one is compared with in full. */
const MAX_CANDIDATES = 8

/** A held and a new leaf that have something in common. */
export interface Likeness {
  readonly parsed: number
  readonly held: number
  /** What they share of what they have at all, 0 to 1. */
  readonly similarity: number
  /** The share of the new leaf that the held one has, and the other way round; 0 for texts of a few words. */
  readonly ofParsed: number
  readonly ofHeld: number
}

/** Texts of fewer features are contained in others by chance. */
const MIN_FEATURES = 6

/**
 * Compares the leaves that are left over on both sides, every new one with a few held ones: those that
 * share most of a sample, and those that stand where it stands. The time grows with the texts, not with
 * their product.
 */
export function findLikenesses(pairing: Pairing): readonly Likeness[] {
  const { held, parsed } = pairing
  const heldFeatures = new Map<number, Features>()
  const index = new Map<number, number[]>()
  for (const leaf of held.leaves) {
    if (pairing.isHeldTaken(leaf)) continue
    const features = featuresOf(held.textOf(leaf))
    heldFeatures.set(leaf, features)
    for (const feature of features.subarray(0, SKETCH_SIZE)) post(index, feature, leaf)
  }
  if (heldFeatures.size === 0) return []
  const likenesses: Likeness[] = []
  for (const leaf of parsed.leaves) {
    if (pairing.isPaired(leaf)) continue
    const features = featuresOf(parsed.textOf(leaf))
    for (const candidate of candidates(pairing, leaf, features, index)) {
      const other = heldFeatures.get(candidate)
      if (other !== undefined) likenesses.push(compare(leaf, features, candidate, other))
    }
  }
  return likenesses
}

function post(index: Map<number, number[]>, feature: number, leaf: number): void {
  const leaves = index.get(feature)
  if (leaves === undefined) index.set(feature, [leaf])
  else if (leaves.length <= MAX_POSTINGS) leaves.push(leaf)
}

function candidates(
  pairing: Pairing,
  leaf: number,
  features: Features,
  index: ReadonlyMap<number, readonly number[]>,
): ReadonlySet<number> {
  const counts = new Map<number, number>()
  for (const feature of features) {
    const leaves = index.get(feature)
    if (leaves === undefined || leaves.length > MAX_POSTINGS) continue
    for (const held of leaves) counts.set(held, (counts.get(held) ?? 0) + 1)
  }
  const best = [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || a - b)
    .slice(0, MAX_CANDIDATES)
  return new Set([...best.map(([held]) => held), ...heldBeside(pairing, leaf)])
}

/** The held leaves after that of the leaf before, and before that of the leaf after. */
function heldBeside(pairing: Pairing, leaf: number): readonly number[] {
  return [-1, 1].flatMap((side) => {
    const neighbour = pairing.parsed.leafBeside(leaf, side)
    const held = neighbour === undefined ? undefined : pairing.heldOf(neighbour)
    const beside = held === undefined ? undefined : pairing.held.leafBeside(held, -side)
    return beside === undefined ? [] : [beside]
  })
}

function compare(parsed: number, a: Features, held: number, b: Features): Likeness {
  const shared = countShared(a, b)
  const all = a.length + b.length - shared
  return {
    parsed,
    held,
    similarity: all === 0 ? 0 : shared / all,
    ofParsed: a.length < MIN_FEATURES ? 0 : shared / a.length,
    ofHeld: b.length < MIN_FEATURES ? 0 : shared / b.length,
  }
}
