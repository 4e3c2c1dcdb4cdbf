import type { HashedSpan } from '../../../evidence/index.ts'

/** What matching needs to know of a chunk, of the revision before or of the new text alike. */
export interface Piece {
  readonly isLeaf: boolean
  readonly type: string
  readonly headingPath: readonly string[]
  /** Index of the section around it. */
  readonly parent: number | undefined
  readonly quote: HashedSpan
}

/** The chunks of one text, sections before what they contain, with what many passes look up. */
export class Side {
  readonly text: string
  readonly pieces: readonly Piece[]
  /** Indexes of the leaves, in order. */
  readonly leaves: readonly number[]
  readonly #paths: readonly string[]
  readonly #knownPaths: ReadonlySet<string>
  /** Place of every leaf in `leaves`. */
  readonly #places: Int32Array

  constructor(text: string, pieces: readonly Piece[]) {
    this.text = text
    this.pieces = pieces
    this.#paths = pieces.map(({ headingPath }) => JSON.stringify(headingPath))
    this.#knownPaths = new Set(this.#paths)
    this.leaves = [...pieces.keys()].filter((index) => this.at(index).isLeaf)
    this.#places = new Int32Array(pieces.length).fill(-1)
    this.leaves.forEach((index, place) => (this.#places[index] = place))
  }

  at(index: number): Piece {
    return this.pieces[index] as Piece
  }

  path(index: number): string {
    return this.#paths[index] ?? ''
  }

  /** Whether anything stands under these headings. */
  hasPath(path: string): boolean {
    return this.#knownPaths.has(path)
  }

  /** Of a leaf that begins with the heading of its section, what comes after that line; absent where there is nothing. */
  textBelowHeading(index: number): string | undefined {
    const { parent, quote } = this.at(index)
    if (parent === undefined || this.at(parent).quote.start !== quote.start) return undefined
    const text = this.textOf(index)
    const lineEnd = text.search(/[\r\n]/)
    const below = lineEnd < 0 ? '' : text.slice(lineEnd).trim()
    return below === '' ? undefined : below
  }

  textOf(index: number): string {
    const { start, end } = this.at(index).quote
    return this.text.slice(start, end)
  }

  /** The leaf so many leaves later, or earlier when `distance` is negative. */
  leafBeside(index: number, distance: number): number | undefined {
    return this.leaves[(this.#places[index] ?? 0) + distance]
  }

  placeOf(leaf: number): number {
    return this.#places[leaf] ?? -1
  }

  /** Hash of the leaf beside a leaf; empty at the ends. */
  hashBeside(index: number, distance: number): string {
    const beside = this.leafBeside(index, distance)
    return beside === undefined ? '' : this.at(beside).quote.hash
  }
}
