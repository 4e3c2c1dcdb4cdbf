/** Longer runs of combining characters are cut: nobody writes them, and ordering them takes quadratic time. */
const MAX_PIECE = 64

/** Marks, and letters that compose with the letter before them (Hangul jamo, half-width voicing marks). */
const CONTINUES = /^[\p{M}\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7ff\uff9e\uff9f\uffa0-\uffdc]/u
const WHITE_SPACE = /\s/u
const SINGLE_QUOTES = /[\u2018-\u201b]/u
const DOUBLE_QUOTES = /[\u201c-\u201f]/u
const DASHES = /[\p{Pd}\u2212]/u

const SPACE = 0x20

/**
 * One code unit of the normalised text and the piece of the original that it comes from. A piece may give
 * several units: `isFirst` and `isLast` say whether the unit stands at an end of its piece.
 */
export type TakeUnit = (
  code: number,
  start: number,
  end: number,
  isFirst: boolean,
  isLast: boolean,
) => void

/**
 * Goes through the normal form of a text without building it: NFKC, white space of any length as one
 * space, curly quotation marks and dashes as plain ones; case is kept. Time is linear in the text.
 */
export class NormalScan {
  readonly #text: string
  readonly #take: TakeUnit
  #at = 0
  #spaceStart = -1
  #spaceEnd = 0

  constructor(text: string, take: TakeUnit) {
    this.#text = text
    this.#take = take
  }

  /** Goes on by about `units` code units; true when the text is through. White space at its end is not given. */
  advance(units: number): boolean {
    const stop = Math.min(this.#text.length, this.#at + units)
    while (this.#at < stop) {
      const end = pieceEnd(this.#text, this.#at)
      this.#piece(this.#at, end)
      this.#at = end
    }
    return this.#at >= this.#text.length
  }

  #piece(start: number, end: number): void {
    const code = this.#text.charCodeAt(start)
    if (end - start === 1) {
      const plain = plainForm(code)
      if (typeof plain === 'number') this.#unit(plain, start, end, true, true)
      else this.#units(plain, start, end)
      return
    }
    this.#units(this.#text.slice(start, end).normalize('NFKC'), start, end)
  }

  #units(normal: string, start: number, end: number): void {
    const last = normal.length - 1
    for (let index = 0; index <= last; index += 1) {
      this.#unit(fold(normal.charCodeAt(index)), start, end, index === 0, index === last)
    }
  }

  #unit(code: number, start: number, end: number, isFirst: boolean, isLast: boolean): void {
    if (code === SPACE) {
      if (this.#spaceStart < 0) this.#spaceStart = start
      this.#spaceEnd = end
      return
    }
    if (this.#spaceStart >= 0) {
      this.#take(SPACE, this.#spaceStart, this.#spaceEnd, true, true)
      this.#spaceStart = -1
    }
    this.#take(code, start, end, isFirst, isLast)
  }
}

/** The normal form of a text, without white space at its ends. */
export function normaliseText(text: string): string {
  const parts: string[] = []
  let units: number[] = []
  const scan = new NormalScan(text, (code) => {
    units.push(code)
    if (units.length < 4096) return
    parts.push(String.fromCharCode(...units))
    units = []
  })
  scan.advance(text.length)
  return [...parts, String.fromCharCode(...units)].join('').trim()
}

function pieceEnd(text: string, start: number): number {
  let end = start + sizeAt(text, start)
  while (end < text.length && end - start < MAX_PIECE && continues(text, end)) {
    end += sizeAt(text, end)
  }
  return end
}

function sizeAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}

/** What is known of the code units of the basic plane; 0 is not looked at yet. */
const continuing = new Uint8Array(0x10000)

function continues(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  if (code < 0x300) return false
  if (code >= 0xd800 && code < 0xe000) return CONTINUES.test(text.slice(index, index + 2))
  if (continuing[code] === 0) continuing[code] = CONTINUES.test(String.fromCharCode(code)) ? 2 : 1
  return continuing[code] === 2
}

/** Of single code units: one unit, or several as text. */
const plainForms: (number | string | undefined)[] = []

function plainForm(code: number): number | string {
  let form = plainForms[code]
  if (form === undefined) {
    const normal = String.fromCharCode(code).normalize('NFKC')
    form = normal.length === 1 ? fold(normal.charCodeAt(0)) : normal
    plainForms[code] = form
  }
  return form
}

const folded = new Map<number, number>()

function fold(code: number): number {
  let result = folded.get(code)
  if (result === undefined) {
    result = foldOnce(code)
    folded.set(code, result)
  }
  return result
}

function foldOnce(code: number): number {
  const character = String.fromCharCode(code)
  if (WHITE_SPACE.test(character)) return SPACE
  if (SINGLE_QUOTES.test(character)) return 0x27
  if (DOUBLE_QUOTES.test(character)) return 0x22
  return DASHES.test(character) ? 0x2d : code
}
