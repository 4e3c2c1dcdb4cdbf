const LAST_CODE_POINT = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/**
 * The first text, in order of code points, that comes after every text with that prefix; undefined
 * when there is none. It turns a prefix into a range, which an index can serve and in which no
 * character is a wildcard.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1
  return String.fromCodePoint(...points, next)
}
