/** What may join with the character after it: marks, formatting characters, halves of flags, leading jamo, prefixes. */
const JOINS_NEXT = /^[\p{M}\p{Cf}\p{RI}\u0d4e\u1100-\u115f\ua960-\ua97c\u{111c2}\u{111c3}]/u
/** What may join with the character before it. */
const JOINS_LAST = /^[\p{M}\p{Cf}\p{RI}\p{Emoji_Modifier}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]/u
/** What always does, unless it follows {@link STANDS_ALONE}. */
const ALWAYS_JOINS = /^[\p{M}\u200d]/u
const STANDS_ALONE = /^[\p{Cc}\p{Cf}\u2028\u2029]/u
const JAMO_JOINS = /^[\u1160-\u11ff]/u
const LEADING_JAMO = /^[\u1100-\u115f]/u
/** Code units on each side that decide about joining; only a row of more than 15 flags looks further. */
const WINDOW = 64

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Whether a text may be cut there: not inside a surrogate pair, and not between a letter and its marks,
 * the parts of one emoji, or CR and LF. Takes the same time in texts of any length.
 */
export function isGraphemeBreak(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return index === 0 || index === text.length
  const before = text.charCodeAt(index - 1)
  const after = text.charCodeAt(index)
  // Nearly always decided here: nothing below U+0300 joins, but for the two halves of a line end.
  if (before < 0x300 && after < 0x300) return before !== 0x0d || after !== 0x0a
  if (isLow(after) && isHigh(before)) return false
  const next = text.slice(index, index + 2)
  const isPair = isLow(before) && index > 1 && isHigh(text.charCodeAt(index - 2))
  const last = text.slice(index - (isPair ? 2 : 1), index)
  if (ALWAYS_JOINS.test(next) && !STANDS_ALONE.test(last)) return false
  if (JAMO_JOINS.test(next) && LEADING_JAMO.test(last)) return false
  if (!JOINS_LAST.test(next) && !JOINS_NEXT.test(last)) return true
  return isBreakInWindow(text, index)
}

function isBreakInWindow(text: string, index: number): boolean {
  let from = Math.max(0, index - WINDOW)
  if (isLow(text.charCodeAt(from))) from += 1
  const around = segmenter.segment(text.slice(from, index + WINDOW))
  return around.containing(index - from)?.index === index - from
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}
