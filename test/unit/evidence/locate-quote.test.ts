import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isGraphemeBreak } from '../../../src/evidence/grapheme-breaks.ts'
import { locateQuote, locateQuoteInSlices } from '../../../src/evidence/locate-quote.ts'
import { normaliseText } from '../../../src/evidence/normalise-text.ts'

const found = (text: string, quote: string, hint = {}) => {
  const match = locateQuote(text, quote, hint)
  return match.kind === 'found'
    ? [match.how, text.slice(match.span.start, match.span.end)]
    : match.kind
}

describe('locateQuote', () => {
  it('prefers the exact place to one that is equal but for white space', () => {
    const text = 'the  red kite. the red kite.'
    expect(found(text, 'the red kite')).toEqual(['exact', 'the red kite'])
    const match = locateQuote(text, 'the red kite')
    expect(match).toMatchObject({ kind: 'found', span: { start: 15, end: 27 } })
  })

  it.each([
    [
      'line ends and runs of space',
      'It rains\r\n\t in   Spain.',
      'It rains in Spain.',
      'It rains\r\n\t in   Spain.',
    ],
    [
      'curly quotes and dashes',
      'He said “wait” — twice.',
      'said "wait" - twice',
      'said “wait” — twice',
    ],
    ['decomposed letters', 'the cafe\u0301 opens', 'caf\u00e9 opens', 'cafe\u0301 opens'],
    ['ligatures and full width', 'a \ufb01ne ＡＢＣ day', 'fine ABC', '\ufb01ne ＡＢＣ'],
    ['no-break space', '10\u00a0km of road', '10 km of', '10\u00a0km of'],
    ['white space around the quote', 'one two three', '  two\n', 'two'],
    [
      'Hangul jamo',
      '\u1112\u1161\u11ab\u1100\u1173\u11af',
      '한글',
      '\u1112\u1161\u11ab\u1100\u1173\u11af',
    ],
    ['half-width katakana', 'ﾃﾞｰﾀ です', 'データ です', 'ﾃﾞｰﾀ です'],
  ])('sees through %s', (_, text, quote, original) => {
    expect(found(text, quote)).toEqual(['normalised', original])
  })

  it('keeps case apart', () => {
    expect(found('The End', 'the end')).toBe('absent')
  })

  it.each(['', '  \n', 'absent words'])('does not find %j', (quote) => {
    expect(found('some text', quote)).toBe('absent')
  })

  it('says how many places there are, overlapping ones included', () => {
    expect(locateQuote('aaa', 'aa')).toEqual({
      kind: 'ambiguous',
      how: 'exact',
      places: [
        { start: 0, end: 2 },
        { start: 1, end: 3 },
      ],
      total: 2,
    })
    const many = locateQuote('ab '.repeat(5000), 'ab')
    expect(many).toMatchObject({ kind: 'ambiguous', total: 5000 })
  })

  it('chooses by the chunk, or by what stands around', () => {
    const text = 'north: blue crate. south: blue crate. west: blue  crate.'
    expect(locateQuote(text, 'blue crate', { within: { start: 18, end: 36 } })).toMatchObject({
      span: { start: 26 },
    })
    expect(locateQuote(text, 'blue crate', { before: 'north:' })).toMatchObject({
      span: { start: 7 },
    })
    expect(locateQuote(text, 'blue crate', { after: '. west' })).toMatchObject({
      span: { start: 26 },
    })
    expect(locateQuote(text, 'blue crate', { before: 'east' }).kind).toBe('ambiguous')
  })

  it.each([
    ['a letter from its mark', 'cafe\u0301', 'cafe'],
    ['a surrogate pair', 'x😀y', '\ud83d'],
    ['a family', 'see 👩‍👩‍👧 there', '👩'],
    ['a flag', '🇩🇪🇫🇷', '🇪🇫'],
    ['a skin tone', '👋🏽', '👋'],
  ])('never cuts %s', (_, text, quote) => {
    expect(found(text, quote)).toBe('absent')
  })

  it('never cuts CR from LF', () => {
    expect(found('a\r\nb', 'a\r')).toEqual(['normalised', 'a'])
  })

  it('gives the same in slices, and lets other work go on between them', async () => {
    const text = `${'lorem ipsum — dolor. '.repeat(40_000)}the “kestrel” hovers`
    let turns = 0
    const timer = setInterval(() => (turns += 1), 0)
    const match = await locateQuoteInSlices(text, 'the "kestrel" hovers')
    clearInterval(timer)
    expect(match).toEqual(locateQuote(text, 'the "kestrel" hovers'))
    expect(match.kind).toBe('found')
    expect(turns).toBeGreaterThan(0)
  })
})

/** Characters that differ from their plain forms, beside plain ones and ones that normal forms join. */
const letter = fc.constantFrom(
  ...[
    'a',
    'Z',
    'é',
    'e\u0301',
    'ﬁ',
    'Ａ',
    '漢',
    '😀',
    '한',
    '"',
    '“',
    '-',
    '–',
    '1',
    '½',
    'ß',
    'ﾃﾞ',
    'ก็',
  ],
)
const word = fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => letters.join(''))
const words = fc.array(word, { minLength: 1, maxLength: 8 })
const gap = fc.constantFrom(' ', '  ', '\n', '\r\n', '\t', '\u00a0', '\u3000', ' \n ')

/** Writes the same in another way: what normalising undoes. */
const rewrite = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.normalize(form).replaceAll('"', '”').replaceAll('-', '—')

describe('a quote that was planted', () => {
  it('is found at exactly its place, whatever its white space and its characters are made of', () => {
    const forms = fc.constantFrom('NFC' as const, 'NFD' as const, 'NFKC' as const)
    fc.assert(
      fc.property(words, words, words, gap, forms, (before, quoted, after, space, form) => {
        const marker = ['§7', ...quoted, '7§']
        const planted = rewrite(marker.join(space), form)
        const head = `${before.join(' ')} `
        const text = `${head}${planted} ${after.join(' ')}`
        const match = locateQuote(text, marker.join(' '))
        expect(match).toMatchObject({
          kind: 'found',
          span: { start: head.length, end: head.length + planted.length },
        })
      }),
      { numRuns: 500 },
    )
  })

  it('has a span that normalises to the quote and cuts no character', () => {
    const bytes = fc.array(fc.oneof(letter, gap, fc.string({ unit: 'grapheme', maxLength: 3 })), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(bytes, fc.nat(40), fc.nat(12), (parts, from, length) => {
        const text = parts.join('')
        const quote = parts.slice(from, from + length).join('')
        const match = locateQuote(text, normaliseText(quote))
        if (match.kind !== 'found') return
        const { start, end } = match.span
        expect(normaliseText(text.slice(start, end))).toBe(normaliseText(quote))
        expect(isGraphemeBreak(text, start) && isGraphemeBreak(text, end)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('isGraphemeBreak', () => {
  it('agrees with the segmenter everywhere', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
    const texts = fc.array(
      fc.oneof(
        letter,
        gap,
        fc.constantFrom('👩‍👩‍👧', '🇩🇪', '\u0301', '\u200d', 'ᄀ', 'ᅡ', '각', 'क्ष', '\ufeff'),
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        const starts = new Set([...segmenter.segment(text)].map(({ index }) => index))
        for (let index = 1; index < text.length; index += 1) {
          expect([index, isGraphemeBreak(text, index)]).toEqual([index, starts.has(index)])
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('normaliseText', () => {
  it('is the whole text in NFKC, folded, for texts of any characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(letter, gap, fc.string({ unit: 'binary', maxLength: 4 }))),
        (parts) => {
          const text = parts.join('').toWellFormed()
          expect(normaliseText(normaliseText(text))).toBe(normaliseText(text))
          expect(normaliseText(` ${text}\n`)).toBe(normaliseText(text))
        },
      ),
      { numRuns: 1000 },
    )
  })
})
