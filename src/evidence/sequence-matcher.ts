import type { Span } from './span.ts'

/**
 * Finds every place of a sequence in a stream of code units, overlapping ones included, in one pass and
 * without looking back (Knuth, Morris and Pratt): linear whatever the text is made of.
 */
export class SequenceMatcher {
  readonly #pattern: string
  readonly #fallback: Int32Array
  /** Of the last units, as many as the pattern has: where each starts, or -1 when it does not begin its piece. */
  readonly #starts: Int32Array
  readonly #found: (span: Span) => void
  #matched = 0
  #count = 0

  /** `pattern` must not be empty. */
  constructor(pattern: string, found: (span: Span) => void) {
    this.#pattern = pattern
    this.#fallback = fallbacks(pattern)
    this.#starts = new Int32Array(pattern.length)
    this.#found = found
  }

  take(code: number, start: number, end: number, isFirst: boolean, isLast: boolean): void {
    const pattern = this.#pattern
    const { length } = pattern
    this.#starts[this.#count % length] = isFirst ? start : -1
    this.#count += 1
    let matched = this.#matched
    while (matched > 0 && pattern.charCodeAt(matched) !== code) {
      matched = this.#fallback[matched - 1] ?? 0
    }
    if (pattern.charCodeAt(matched) === code) matched += 1
    if (matched === length) {
      const first = this.#starts[this.#count % length] ?? -1
      if (isLast && first >= 0) this.#found({ start: first, end })
      matched = this.#fallback[matched - 1] ?? 0
    }
    this.#matched = matched
  }
}

/** For every prefix of the pattern the length of its longest proper prefix that is also its suffix. */
function fallbacks(pattern: string): Int32Array {
  const table = new Int32Array(pattern.length)
  for (let index = 1, matched = 0; index < pattern.length; index += 1) {
    const code = pattern.charCodeAt(index)
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = table[matched - 1] ?? 0
    if (pattern.charCodeAt(matched) === code) matched += 1
    table[index] = matched
  }
  return table
}
