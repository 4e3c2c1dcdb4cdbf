/** What one token may span at most, by kind of text; letters first because they are most of it. */
const PIECE = /[a-z]+|[A-Z]+|[0-9]+|[ \t]+|[\r\n]+|[\u0080-\u{10ffff}]+|./gsu

/** Default bound of a chunk. */
export const DEFAULT_CHUNK_TOKENS = 320

/**
 * Counts tokens without a tokenizer, on the high side: a third of the letters and digits of every run
 * of one case, one for every mark, half the UTF-8 bytes of what is not ASCII. Natural text in any
 * script has fewer tokens of o200k_base; long runs of random letters may have more. Never counts the
 * parts of a text lower than the whole.
 */
export function countTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECE)) tokens += pieceTokens(piece)
  return tokens
}

function pieceTokens(piece: string): number {
  const code = piece.charCodeAt(0)
  if (code >= 0x80) return Math.ceil(Buffer.byteLength(piece) / 2)
  if (isWordCode(code)) return Math.ceil(piece.length / 3)
  // A single space belongs to the word after it.
  if (piece === ' ') return 0
  if (code === 0x20 || code === 0x09) return Math.ceil(piece.length / 16)
  if (code === 0x0a || code === 0x0d) return Math.ceil(piece.length / 2)
  return 1
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39)
  )
}
