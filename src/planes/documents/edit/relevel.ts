import {
  DEEPEST_LEVEL,
  type EditedDocument,
  refuseEdit,
  type Section,
  startOf,
  subtreeOf,
} from './outline.ts'
import type { Part, Piece } from './pieces.ts'

/** The text of a section with all it contains, its own heading at `level` and those inside as much deeper as before. */
export function relevelSection(document: EditedDocument, section: Section, level: number): Part {
  const start = startOf(document, section)
  const { end } = section.span
  const delta = level - section.level
  const pieces: Piece[] = []
  let at = start
  for (const inner of delta === 0 ? [] : subtreeOf(document, section)) {
    const edit = relevelHeading(document.text, inner, inner.level + delta)
    pieces.push({ span: { start: at, end: inner.quote.start } }, ...edit.pieces)
    at = edit.end
  }
  pieces.push({ span: { start: at, end } })
  return { start, end, pieces: pieces.filter(isNotEmpty) }
}

function isNotEmpty(piece: Piece): boolean {
  return 'text' in piece ? piece.text !== '' : piece.span.end > piece.span.start
}

const ATX = /(#{1,6})(?=[ \t\r\n]|$)/y
/** The marks that may close the line of an ATX heading. */
const CLOSING = /([^\r\n]*?[ \t])(#+)(?=[ \t]*(?:[\r\n]|$))/y
const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/y
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/

/** The changed heading, from where it begins to where the change ends. */
function relevelHeading(text: string, section: Section, level: number): Part {
  if (level > DEEPEST_LEVEL) {
    throw refuseEdit(
      'heading_too_deep',
      `A heading would be deeper than level ${DEEPEST_LEVEL}`,
      section.chunkId,
    )
  }
  const { start } = section.quote
  const marks = matchAt(ATX, text, start)?.[1]
  return marks === undefined
    ? relevelSetext(text, section, level)
    : relevelAtx(text, start, marks.length, level)
}

function relevelAtx(text: string, start: number, before: number, level: number): Part {
  const end = start + before
  const opening = { text: '#'.repeat(level) }
  const closing = matchAt(CLOSING, text, end)
  const [, words = '', marks = ''] = closing ?? []
  // Marks of another length were no picture of the level.
  if (marks.length !== before) return { start, end, pieces: [opening] }
  const at = end + words.length
  return {
    start,
    end: at + marks.length,
    pieces: [opening, { span: { start: end, end: at } }, opening],
  }
}

/** Underlined headings have two levels only; deeper ones get marks before them, on one line. */
function relevelSetext(text: string, { quote, chunkId }: Section, level: number): Part {
  const { start } = quote
  const lines = setextLines(text, start)
  const underline = lines.pop()
  if (underline === undefined || lines.length === 0) {
    throw refuseEdit('heading_unclear', 'A heading cannot be given another level', chunkId)
  }
  const { end } = underline
  if (level <= 2) {
    const drawn = text.slice(underline.start, end).replace(/[=-]/g, level === 1 ? '=' : '-')
    const pieces = [{ span: { start, end: underline.start } }, { text: drawn }]
    return { start, end, pieces }
  }
  const words = lines.map((line) => text.slice(line.start, line.end).trim()).join(' ')
  // What would be read as closing marks is part of the words.
  const escaped = words.replace(/(^|[ \t])(#+)$/, '$1\\$2')
  const pieces: Piece[] = [{ text: `${'#'.repeat(level)} ` }]
  const [only] = lines
  if (lines.length === 1 && escaped === words && only !== undefined) {
    pieces.push({ span: { start, end: start + words.length } })
  } else pieces.push({ text: escaped })
  return { start, end, pieces }
}

/** The lines of an underlined heading, the underline as the last, without their line ends. */
function setextLines(text: string, start: number): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = []
  let at = start
  while (at < text.length) {
    const [whole = '', words = ''] = matchAt(LINE, text, at) ?? []
    lines.push({ start: at, end: at + words.length })
    if (lines.length > 1 && UNDERLINE.test(words)) break
    at += whole.length
  }
  return lines
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
