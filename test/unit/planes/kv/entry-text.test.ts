import { describe, expect, it } from 'vitest'

import { entryText } from '../../../../src/planes/kv/entry-text.ts'

describe('entryText', () => {
  it('is the text itself', () => {
    expect(entryText('  The blue crate \n')).toBe('  The blue crate \n')
  })

  it('is one line per text leaf, after the fields that lead to it', () => {
    const value = { name: 'Ada', age: 36, home: { city: 'London', tags: ['fog', { by: 'river' }] } }
    expect(entryText(value)).toBe(
      'name: Ada\nhome.city: London\nhome.tags: fog\nhome.tags.by: river',
    )
    expect(entryText(['a', ['b'], 1])).toBe('a\nb')
  })

  it.each([[''], ['  '], [0], [true], [null], [[]], [{ n: 1, s: ' ' }]])(
    'is absent where there is no text: %j',
    (value) => {
      expect(entryText(value)).toBeUndefined()
    },
  )

  it('names fields like __proto__ (case 80)', () => {
    expect(entryText(JSON.parse('{"__proto__":"p","constructor":"c"}') as never)).toBe(
      '__proto__: p\nconstructor: c',
    )
  })
})
