import type { Span } from '../../../evidence/index.ts'

/** A piece of a new text: a span of the old one, or words that were not there. */
export type Piece = { readonly span: Span } | { readonly text: string }

/** A stretch of the old text, maybe with small changes inside, that keeps together. */
export interface Part extends Span {
  readonly pieces: readonly Piece[]
}

/**
 * What stands between two parts that were not neighbours before: at least a line end, or at least a blank
 * line (which ends whatever block came before).
 */
export type Joint = 'line' | 'blank'

export function keep(start: number, end: number): Part {
  return { start, end, pieces: [{ span: { start, end } }] }
}

/** The pieces of parts one after another; empty parts leave nothing. */
export function joinParts(text: string, parts: readonly Part[], joint: Joint): readonly Piece[] {
  const pieces: Piece[] = []
  let before: Part | undefined
  for (const part of parts.filter(({ start, end }) => end > start)) {
    if (before !== undefined && before.end !== part.start) {
      const added = missingLineEnds(text, before, joint)
      if (added !== '') pieces.push({ text: added })
    }
    pieces.push(...part.pieces)
    before = part
  }
  return pieces
}

export function writePieces(text: string, pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => ('text' in piece ? piece.text : text.slice(piece.span.start, piece.span.end)))
    .join('')
}

const ENDS_WITH_LINE = /(?:\r\n|\r|\n)$/
const ENDS_WITH_BLANK = /(?:\r\n|\r(?!\n)|\n)[ \t]*(?:\r\n|\r|\n)$/

/** Enough to see the line ends of, whatever white space the last line has. */
const TAIL_LENGTH = 1000

function missingLineEnds(text: string, { start, end }: Span, joint: Joint): string {
  const tail = text.slice(Math.max(start, end - TAIL_LENGTH), end)
  // A byte order mark alone is no line.
  if (tail === '\ufeff') return ''
  const lineEnd = lineEndOf(text)
  const first = ENDS_WITH_LINE.test(tail) ? '' : lineEnd
  if (joint === 'line') return first
  return ENDS_WITH_BLANK.test(tail) ? '' : first + lineEnd
}

/** How the lines of a text end: as the first one does; `\n` where there is none. */
function lineEndOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
}
