import { describe, expect, it } from 'vitest'

import { buildLexemes } from '../../../src/items/lexemes.ts'

describe('buildLexemes', () => {
  it('weighs title, tags, author and text, and counts the title twice', () => {
    const item = { title: 'Pump', path: 'a.md', tags: ['ops'], author: 'Ines', text: 'the pump' }
    expect(buildLexemes(item)).toEqual({
      vector: "'pump':1A,2A,8D 'amd':3B 'a':3B 'md':4B 'ops':5B 'ines':6C 'the':7D",
      wordCount: 8,
    })
  })

  it('leaves out authors that are only roles', () => {
    expect(buildLexemes({ author: 'assistant', text: 'x1' }).vector).not.toContain('assist')
  })

  it('keeps as many occurrences of a word as matter', () => {
    const { vector } = buildLexemes({ text: 'word '.repeat(1000) })
    expect(vector.split(',')).toHaveLength(64)
  })

  it('quotes what the input form would read as marks', () => {
    expect(buildLexemes({ text: 'c++' }).vector).toBe("'c++':1D 'c':1D")
  })

  it('keeps every word of a megabyte without repetition, without its places', () => {
    const words = Array.from({ length: 120_000 }, (_, n) => `w${n.toString(36)}x`)
    const { vector } = buildLexemes({ text: words.join(' ') })
    expect(vector).not.toContain(':')
    expect(Buffer.byteLength(vector.replaceAll(/['\s]/g, ''))).toBeLessThanOrEqual(1_000_000)
  })
})
