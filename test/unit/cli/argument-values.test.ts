import { describe, expect, it } from 'vitest'

import { parseList, parseValue } from '../../../src/cli/argument-values.ts'

describe('words of a command line', () => {
  it('keeps text as it is, even when it looks like JSON', () => {
    expect(parseValue({ type: 'string' }, '42')).toBe('42')
    expect(parseValue({ type: 'string' }, '"quoted"')).toBe('"quoted"')
  })

  it('reads numbers and flags', () => {
    expect(parseValue({ type: 'integer' }, '-7')).toBe(-7)
    expect(parseValue({ type: 'boolean' }, 'false')).toBe(false)
  })

  it('hands on what it cannot read, for the operation to refuse', () => {
    expect(parseValue({ type: 'integer' }, 'seven')).toBe('seven')
  })

  it('takes JSON for any value, and text that is not JSON as text', () => {
    expect(parseValue({}, '{"a":[1,null]}')).toEqual({ a: [1, null] })
    expect(parseValue({}, 'größe 東京')).toBe('größe 東京')
    expect(parseValue({}, 'true')).toBe(true)
  })

  it.each(['{"a":1', '[1,', '"half', ' {a:1}'])(
    'refuses %s, which was meant as JSON, unless it is to be text',
    (word) => {
      expect(() => parseValue({}, word)).toThrow(/--text/)
      expect(() => parseValue({ type: 'object' }, word)).toThrow(/starts like JSON/)
      expect(() => parseList({ type: 'array', items: {} }, ['1', word])).toThrow(/--text/)
      expect(parseValue({}, word, { isText: true })).toBe(word)
      expect(parseList({ type: 'array', items: {} }, [word], { isText: true })).toEqual([word])
      expect(parseValue({ type: 'string' }, word)).toBe(word)
    },
  )

  it('takes JSON as text when it is to be text', () => {
    expect(parseValue({}, '42', { isText: true })).toBe('42')
    expect(parseList({ type: 'array', items: {} }, ['[1]'], { isText: true })).toEqual(['[1]'])
    expect(parseValue({ type: 'integer' }, '42', { isText: true })).toBe(42)
  })

  it('reads a list from one JSON word or from several words', () => {
    expect(parseList({ type: 'array', items: {} }, ['[1,"b"]'])).toEqual([1, 'b'])
    expect(parseList({ type: 'array', items: { type: 'string' } }, ['1', 'b'])).toEqual(['1', 'b'])
    expect(parseList({ type: 'array', items: {} }, ['1', 'b'])).toEqual([1, 'b'])
  })
})
