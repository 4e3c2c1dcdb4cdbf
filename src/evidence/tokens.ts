/** Default bound of a chunk. */
export const DEFAULT_CHUNK_TOKENS = 320

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const BLANK = 4
const LINE_END = 5
const BEYOND_ASCII = 6

/** Kind of every ASCII character. */
const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => kindOfAscii(String.fromCharCode(code)))

/**
 * Counts tokens without a tokenizer, on the high side: a third of the letters and digits of every run
 * of one case, one for every mark, half the UTF-8 bytes of what is not ASCII. Natural text in any
 * script has fewer tokens of o200k_base; long runs of random letters may have more. Never counts the
 * parts of a text lower than the whole.
 */
export function countTokens(text: string): number {
  let tokens = 0
  let start = 0
  while (start < text.length) {
    const kind = kindAt(text, start)
    let end = start + 1
    if (kind !== OTHER) while (end < text.length && kindAt(text, end) === kind) end += 1
    tokens += runTokens(text, kind, start, end)
    start = end
  }
  return tokens
}

function runTokens(text: string, kind: number, start: number, end: number): number {
  const length = end - start
  if (kind === LOWER || kind === UPPER || kind === DIGIT) return Math.ceil(length / 3)
  // A single space belongs to the word after it.
  if (kind === BLANK) return length === 1 && text[start] === ' ' ? 0 : Math.ceil(length / 16)
  if (kind === LINE_END) return Math.ceil(length / 2)
  return kind === BEYOND_ASCII ? Math.ceil(utf8Length(text, start, end) / 2) : 1
}

/** Of what is not ASCII. */
function utf8Length(text: string, start: number, end: number): number {
  let bytes = 0
  for (let at = start; at < end; at += 1) {
    const code = text.codePointAt(at) as number
    if (code > 0xffff) at += 1
    bytes += code < 0x800 ? 2 : code > 0xffff ? 4 : 3
  }
  return bytes
}

function kindAt(text: string, at: number): number {
  return KINDS[text.charCodeAt(at)] ?? BEYOND_ASCII
}

function kindOfAscii(character: string): number {
  if (/[a-z]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  if (/[0-9]/.test(character)) return DIGIT
  if (/[ \t]/.test(character)) return BLANK
  return /[\r\n]/.test(character) ? LINE_END : OTHER
}
