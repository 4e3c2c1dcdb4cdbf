const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Text as it may be shown on a terminal: stored memory is somebody else's words and must not move the
 * cursor, colour the screen or turn the direction of writing. Line breaks and tabs stay.
 */
export function toPrintable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROL, '\u{fffd}')
}

/** The same on one line, cut to `width` columns. */
export function toOneLine(text: string, width: number): string {
  const line = toPrintable(text).replaceAll(/\s+/gu, ' ').trim()
  let shown = ''
  let used = 0
  for (const { segment } of GRAPHEMES.segment(line)) {
    used += graphemeWidth(segment)
    if (used > width - 1) return `${shown}…`
    shown += segment
  }
  return shown
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })
const WIDE =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6])/u

/** Columns that text takes on a terminal: wide scripts and emoji take two. */
export function textWidth(text: string): number {
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += graphemeWidth(segment)
  return width
}

function graphemeWidth(grapheme: string): number {
  // Digits and signs are pictographic too, but only become wide with a variation selector.
  const isAscii = grapheme.length === 1 && grapheme < '\u0080'
  return !isAscii && WIDE.test(grapheme) ? 2 : 1
}

/** Breaks text into lines of at most `width` columns, between words of whatever script. */
export function wrap(text: string, width: number): readonly string[] {
  return toPrintable(text)
    .split('\n')
    .flatMap((line) => wrapLine(line.replaceAll('\t', '  '), width))
}

function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const { segment } of WORDS.segment(line)) {
    for (const piece of textWidth(segment) > width
      ? [...GRAPHEMES.segment(segment)].map((one) => one.segment)
      : [segment]) {
      const size = textWidth(piece)
      if (used + size > width && used > 0) {
        lines.push(current.trimEnd())
        current = ''
        used = 0
        if (piece.trim() === '') continue
      }
      current += piece
      used += size
    }
  }
  return [...lines, current.trimEnd()]
}
