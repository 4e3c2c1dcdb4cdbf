import type { Span } from '../../../evidence/index.ts'
import { countTokens } from '../../../evidence/index.ts'

/** `Intl.Segmenter` slows down with the length of its input, so it gets pieces; UTF-16 code units. */
const WINDOW_LENGTH = 2000

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Divides a text into spans of at most `maxTokens` that cover it: at line borders; a line that is too
 * large alone at sentence borders, a sentence at white space, and a word, as the last resort, between
 * characters as a reader sees them; one that is too large itself, by its thousands of marks, between code points.
 */
export function splitText(text: string, maxTokens: number): readonly Span[] {
  const whole = { start: 0, end: text.length }
  return pack(
    text,
    refine(text, whole, maxTokens, [byLine, bySentence, byWord, byGrapheme, byCharacter]),
    maxTokens,
  )
}

type Splitter = (text: string) => Iterable<string>

function refine(
  text: string,
  span: Span,
  maxTokens: number,
  splitters: readonly Splitter[],
): readonly Span[] {
  const [split, ...finer] = splitters
  const piece = text.slice(span.start, span.end)
  if (split === undefined || countTokens(piece) <= maxTokens) return [span]
  const spans: Span[] = []
  let start = span.start
  for (const part of split(piece)) {
    const next = { start, end: start + part.length }
    for (const fine of refine(text, next, maxTokens, finer)) spans.push(fine)
    start = next.end
  }
  return spans
}

/** Joins neighbours again as long as they fit. */
function pack(text: string, spans: readonly Span[], maxTokens: number): readonly Span[] {
  const packed: Span[] = []
  let tokens = 0
  for (const span of spans) {
    const added = countTokens(text.slice(span.start, span.end))
    const last = packed.at(-1)
    if (last !== undefined && tokens + added <= maxTokens) {
      packed[packed.length - 1] = { start: last.start, end: span.end }
      tokens += added
    } else {
      packed.push(span)
      tokens = added
    }
  }
  return packed
}

function byLine(text: string): Iterable<string> {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []
}

function byWord(text: string): Iterable<string> {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? []
}

function* bySentence(text: string): Iterable<string> {
  for (const piece of windows(text)) {
    for (const { segment } of sentences.segment(piece)) yield segment
  }
}

function* byGrapheme(text: string): Iterable<string> {
  for (const piece of windows(text)) {
    for (const { segment } of graphemes.segment(piece)) yield segment
  }
}

function byCharacter(text: string): Iterable<string> {
  return text
}

/** Pieces of a text, cut at white space where there is some and never inside a surrogate pair. */
function* windows(text: string): Iterable<string> {
  let start = 0
  while (start < text.length) {
    let end = Math.min(start + WINDOW_LENGTH, text.length)
    if (end < text.length) end = lastBreak(text, start, end)
    yield text.slice(start, end)
    start = end
  }
}

function lastBreak(text: string, start: number, end: number): number {
  for (let at = end; at > start + WINDOW_LENGTH / 2; at -= 1) {
    if (/\s/.test(text.charAt(at - 1))) return at
  }
  const isPairCut = /[\ud800-\udbff]/.test(text.charAt(end - 1))
  return isPairCut ? end - 1 : end
}
