import type { Side } from './piece.ts'

type Key = (side: Side, index: number) => string | undefined

/** Which chunk of a new text continues which held one: no chunk on either side is in two pairs. */
export class Pairing {
  readonly held: Side
  readonly parsed: Side
  readonly #heldOf: Int32Array
  readonly #parsedOf: Int32Array

  constructor(held: Side, parsed: Side) {
    this.held = held
    this.parsed = parsed
    this.#heldOf = new Int32Array(parsed.pieces.length).fill(-1)
    this.#parsedOf = new Int32Array(held.pieces.length).fill(-1)
  }

  /** The held chunk that a parsed one continues. */
  heldOf(parsed: number): number | undefined {
    const held = this.#heldOf[parsed] ?? -1
    return held < 0 ? undefined : held
  }

  isHeldTaken(held: number): boolean {
    return (this.#parsedOf[held] ?? -1) >= 0
  }

  isPaired(parsed: number): boolean {
    return (this.#heldOf[parsed] ?? -1) >= 0
  }

  /** Pairs two chunks, unless one of them is taken. */
  pair(parsed: number, held: number): void {
    if (this.isPaired(parsed) || this.isHeldTaken(held)) return
    this.#heldOf[parsed] = held
    this.#parsedOf[held] = parsed
  }

  /** Pairs leaves, or sections, that are left over on both sides by equal keys, first with first. */
  byKey(kind: 'leaf' | 'section', key: Key): void {
    const isLeaf = kind === 'leaf'
    const waiting = new Map<string, number[]>()
    for (let held = this.held.pieces.length - 1; held >= 0; held -= 1) {
      if (this.isHeldTaken(held) || this.held.at(held).isLeaf !== isLeaf) continue
      const value = key(this.held, held)
      if (value === undefined) continue
      const queue = waiting.get(value)
      if (queue === undefined) waiting.set(value, [held])
      else queue.push(held)
    }
    if (waiting.size === 0) return
    for (let parsed = 0; parsed < this.parsed.pieces.length; parsed += 1) {
      if (this.isPaired(parsed) || this.parsed.at(parsed).isLeaf !== isLeaf) continue
      const value = key(this.parsed, parsed)
      const held = value === undefined ? undefined : waiting.get(value)?.pop()
      if (held !== undefined) this.pair(parsed, held)
    }
  }

  /** Whether two chunks stand in the same section: both at the top, or in sections that are a pair. */
  isSameSection(parsed: number, held: number): boolean {
    const section = this.parsed.at(parsed).parent
    const heldSection = this.held.at(held).parent
    if (section === undefined || heldSection === undefined) return section === heldSection
    return this.heldOf(section) === heldSection
  }
}
