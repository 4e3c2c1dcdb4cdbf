import { stemmer } from '@orama/stemmers/english'

/** One word as it is indexed and searched. */
export interface Token {
  readonly term: string
  /** The same before stemming. */
  readonly word: string
  /** Ordinal of the word in its text; the parts of a compound follow one another, its whole stands with the first. */
  readonly position: number
}

/** Longer words are indexed by their beginning; UTF-16 code units. */
const MAX_TERM_LENGTH = 64
/** Longer compounds (paths, URLs) are indexed by their parts alone; UTF-16 code units. */
const MAX_COMPOUND_LENGTH = 100
/** `Intl.Segmenter` slows down with the length of its input, so it gets pieces; UTF-16 code units. */
const SEGMENT_LENGTH = 400

/** Letters and digits, joined by single marks that identifiers use; a trailing ++ or # belongs to it (C++, C#). */
const RUN =
  /[\p{L}\p{N}\p{M}_]+(?:['’.\-:/\\@+#&]{1,2}[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#)?|\p{Extended_Pictographic}/gu
/** Scripts that write words without spaces; `Intl.Segmenter` finds the words in them by dictionary. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu
const HAS_UNSPACED = new RegExp(UNSPACED.source, 'u')
const IDEOGRAPHS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u
/** Where the words of an identifier meet: marks, lower to upper case, letters to digits and back. */
const PART = /\p{N}+|\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+/gu
const ACCENT = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu
const PLAIN_WORD = /^[a-z]+$/

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Splits text into words of any script: compatibility forms, case and Latin or Greek accents folded,
 * English words stemmed, identifiers (`ZK-4417`, `getUserName`, `a@b.org`) as a whole and in parts.
 * The same for texts and queries, whatever their language.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let position = 0
  const push: Push = (words, whole) => {
    if (whole !== undefined) tokens.push({ term: clip(whole), word: whole, position: position + 1 })
    for (const word of words) {
      tokens.push({ term: clip(stem(word)), word, position: (position += 1) })
    }
    if (words.length === 0 && whole !== undefined) position += 1
  }
  for (const [run] of text.normalize('NFKC').matchAll(RUN)) {
    if (HAS_UNSPACED.test(run)) splitUnspaced(run, push)
    else splitRun(run, push)
  }
  return tokens
}

/** Takes folded words, and the compound that they are parts of. */
type Push = (words: readonly string[], whole?: string) => void

function splitUnspaced(run: string, push: Push): void {
  let end = 0
  for (const match of run.matchAll(UNSPACED)) {
    splitAll(run.slice(end, match.index), push)
    splitByDictionary(match[0], push)
    end = match.index + match[0].length
  }
  splitAll(run.slice(end), push)
}

/** What stands between unspaced words may begin or end with a joining mark. */
function splitAll(text: string, push: Push): void {
  for (const [run] of text.matchAll(RUN)) splitRun(run, push)
}

function splitByDictionary(text: string, push: Push): void {
  for (let start = 0; start < text.length; start += SEGMENT_LENGTH) {
    for (const { segment, isWordLike } of segmenter.segment(
      text.slice(start, start + SEGMENT_LENGTH),
    )) {
      if (isWordLike) push([fold(segment)])
    }
  }
  // Dictionaries cut the same characters differently in different sentences; pairs do not.
  if (!IDEOGRAPHS.test(text)) return
  const characters = Array.from(text)
  for (let at = 0; at + 1 < characters.length; at += 1) {
    push([], fold(`${characters[at] ?? ''}${characters[at + 1] ?? ''}`))
  }
}

function splitRun(run: string, push: Push): void {
  const word = run.replace(/['’]s$/iu, '')
  if (PLAIN_WORD.test(word)) {
    push([word])
    return
  }
  const parts = word.match(PART) ?? []
  if (parts.length === 0) {
    if (/[^_]/u.test(word)) push([fold(word)])
    return
  }
  if (parts.length < 2) {
    push(parts.map(fold), /(?:\+\+|#)$/u.test(word) ? fold(word) : undefined)
    return
  }
  const whole = word.length > MAX_COMPOUND_LENGTH ? undefined : fold(joinCompound(word))
  // The short half of a contraction ("don't", "we'll") says nothing by itself.
  const kept = /^[\p{L}\p{M}]{2,}['’]\p{L}{1,2}$/u.test(word) ? [] : parts.map(fold)
  push(kept, whole)
}

/** `ZK-4417`, `zk_4417` and `ZK4417` are one name; 1.5 and 15 are not one number. */
function joinCompound(word: string): string {
  return /\p{L}/u.test(word) ? word.replace(/[^\p{L}\p{N}\p{M}+#]/gu, '') : word
}

/** English words lose their endings, unless too little is left to tell them apart ("Ines" is not "in"). */
function stem(word: string): string {
  if (!PLAIN_WORD.test(word)) return word
  const stemmed = stemmer(word)
  return stemmed.length < 3 ? word : stemmed
}

function fold(text: string): string {
  // By way of upper case, so that ß meets ss and ς meets σ.
  const lower = text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return lower.normalize('NFD').replace(ACCENT, '$1').normalize('NFC')
}

function clip(term: string): string {
  return term.length <= MAX_TERM_LENGTH ? term : term.slice(0, MAX_TERM_LENGTH).toWellFormed()
}
