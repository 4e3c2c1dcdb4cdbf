/** Words, and characters of scripts that write without spaces. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}\p{M}_]+/gu

/** Texts are compared by their beginning; longer than any chunk of the default size. UTF-16 code units. */
const MAX_LENGTH = 16_000

/** Up to there the letters of a text count too: a heading of one word has nothing else that could stay. UTF-16 code units. */
const SHORT_LENGTH = 32

/** Hashes of what a text is made of, ascending, each once. */
export type Features = Uint32Array

/**
 * Hashes the words of a text and its pairs of neighbouring words: texts that share many of them are
 * versions of one another. The smallest hashes are a fair sample of all.
 */
export function featuresOf(text: string): Features {
  const features = new Set<number>()
  let before = 0
  for (const [word] of text.slice(0, MAX_LENGTH).matchAll(WORD)) {
    const hash = hashWord(word)
    features.add(mix(hash))
    if (before !== 0) features.add(mix(Math.imul(before, 31) + hash))
    before = hash
    if (text.length > SHORT_LENGTH) continue
    for (let at = 0; at + 3 <= word.length; at += 1) {
      features.add(mix(hashWord(word.slice(at, at + 3)) ^ TRIPLE))
    }
  }
  return Uint32Array.from(features).sort()
}

/** Tells three letters of a word from a word of three letters. */
const TRIPLE = 0x5bd1e995

/** How many features two texts share. */
export function countShared(a: Features, b: Features): number {
  let shared = 0
  let at = 0
  let other = 0
  while (at < a.length && other < b.length) {
    const difference = (a[at] as number) - (b[other] as number)
    if (difference === 0) shared += 1
    if (difference <= 0) at += 1
    if (difference >= 0) other += 1
  }
  return shared
}

/** FNV-1a over UTF-16 code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  }
  return hash
}

function mix(given: number): number {
  let hash = Math.imul(given ^ (given >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
