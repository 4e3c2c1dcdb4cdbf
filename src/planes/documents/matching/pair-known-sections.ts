import type { Pairing } from './pairing.ts'
import type { Side } from './piece.ts'

/**
 * Pairs sections where it is known which come out of an edit: what only looks alike, such as two sections
 * of one name, cannot take each other's place. `known` has, for every section of the new text in order,
 * the index of the held one. With a section goes the leaf that begins it, also where its heading has
 * another level now, and every leaf that says the same.
 */
export function pairKnownSections(pairing: Pairing, known: readonly (number | undefined)[]): void {
  const { held, parsed } = pairing
  const sections = [...parsed.pieces.keys()].filter((index) => !parsed.at(index).isLeaf)
  if (sections.length !== known.length) return
  sections.forEach((section, order) => {
    const old = known[order]
    if (old === undefined) return
    pairing.pair(section, old)
    const first = firstLeafOf(parsed, section)
    const oldFirst = firstLeafOf(held, old)
    if (first !== undefined && oldFirst !== undefined) pairing.pair(first, oldFirst)
  })
  pairing.byKey('leaf', (side, index) => {
    const { parent, quote } = side.at(index)
    if (parent === undefined) return `${quote.hash} top`
    const section = side === held ? parent : pairing.heldOf(parent)
    return section === undefined ? undefined : `${quote.hash} ${section}`
  })
}

function firstLeafOf({ pieces }: Side, section: number): number | undefined {
  const next = pieces[section + 1]
  return next?.isLeaf === true && next.parent === section ? section + 1 : undefined
}
