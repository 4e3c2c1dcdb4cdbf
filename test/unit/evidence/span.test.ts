import { describe, expect, it } from 'vitest'

import { countTokens, hashSpan, hashText, quoteOf, trimSpan } from '../../../src/evidence/index.ts'

describe('spans', () => {
  it('count UTF-16 code units', () => {
    const text = '👍 ok'
    expect(quoteOf(text, { start: 3, end: 5 })).toBe('ok')
  })

  it('hash the UTF-8 form of what they cover', () => {
    expect(hashText('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hashSpan('xabcx', { start: 1, end: 4 })).toEqual({
      start: 1,
      end: 4,
      hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    })
  })

  it('lose white space and a byte order mark at their ends', () => {
    expect(trimSpan('\ufeff  a b\r\n\u3000', { start: 0, end: 9 })).toEqual({ start: 3, end: 6 })
    expect(trimSpan('a   b', { start: 1, end: 4 })).toEqual({ start: 1, end: 1 })
  })
})

describe('countTokens', () => {
  it('never counts the parts lower than the whole', () => {
    const text = 'Straße 12345 longerword() 東京\r\n\r\n\tfoo'
    for (let at = 0; at <= text.length; at += 1) {
      expect(countTokens(text.slice(0, at)) + countTokens(text.slice(at))).toBeGreaterThanOrEqual(
        countTokens(text),
      )
    }
  })
})
