import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { tokenize } from '../../../src/items/index.ts'

const termsOf = (text: string) => tokenize(text).map(({ term }) => term)

describe('tokenize', () => {
  it.each([
    ['marker ZK-4417', ['marker', 'zk4417', 'zk', '4417']],
    ['zk4417', ['zk4417', 'zk', '4417']],
    ['getUserName', ['getusername', 'get', 'user', 'name']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['C++ and C#', ['c++', 'c', 'and', 'c#', 'c']],
    ["don't", ['dont']],
    ["O'Brien's", ['obrien', 'o', 'brien']],
    ['1.5 and 15', ['1.5', '1', '5', 'and', '15']],
    ['2026-11-30', ['2026-11-30', '2026', '11', '30']],
    ['a@b.org', ['aborg', 'a', 'b', 'org']],
    ['running engines', ['run', 'engin']],
    ['STRASSE Straße', ['strass', 'strass']],
    ['Café Ωμέγα ΤΈΛΟΣ', ['cafe', 'ωμεγα', 'τελοσ']],
    ['ﬁx ①', ['fix', '1']],
    ['мой ёж', ['мой', 'ёж']],
    ['ภาษาไทยง่าย', ['ภาษา', 'ไทย', 'ง่าย']],
    ['東京都', ['東京', '都', '東京', '京都']],
    ['凭证为sk_test', ['凭证', '为', '凭证', '证为', 'sktest', 'sk', 'test']],
    ['😀 ok', ['😀', 'ok']],
    ['<|endoftext|>', ['endoftext']],
    ['__proto__ ___', ['proto']],
    ['+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ /', []],
    ['', []],
  ])('splits %j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })

  it('numbers words upwards and puts the whole of a compound at its first part', () => {
    expect(tokenize('on ZK-4417 now').map(({ term, position }) => `${term}:${position}`)).toEqual([
      'on:1',
      'zk4417:2',
      'zk:2',
      '4417:3',
      'now:4',
    ])
  })

  it('gives terms of any text that are short, well-formed and free of white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let last = 0
        for (const { term, position } of tokenize(text.toWellFormed())) {
          expect(term.length).toBeGreaterThan(0)
          expect(term.length).toBeLessThanOrEqual(64)
          expect(term.isWellFormed()).toBe(true)
          expect(term).not.toMatch(/\s/)
          expect(position).toBeGreaterThanOrEqual(last)
          last = position
        }
      }),
    )
  })

  it('is not led astray by case, compatibility forms or composed accents', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(termsOf(text.normalize('NFD'))).toEqual(termsOf(text.normalize('NFC')))
      }),
    )
  })
})
