import { describe, expect, it } from 'vitest'

import { findUnstorable } from '../../../src/core/text.ts'

describe('findUnstorable', () => {
  it('lets ordinary values in every script through', () => {
    expect(
      findUnstorable({ 'größe/東京 1': ['ก', '👩‍👩‍👧', 1.5, -0, null, true, '<|endoftext|>'] }),
    ).toEqual([])
  })

  it.each([
    ['NUL in text', { a: ['x\u0000y'] }, ['a', 0], 'text_nul'],
    ['a lone surrogate', { a: '\ud800' }, ['a'], 'text_lone_surrogate'],
    ['a number that is not finite', { a: Number.NaN }, ['a'], 'number_not_finite'],
    ['an integer that is not exact', { a: 2 ** 53 }, ['a'], 'number_not_exact'],
    ['NUL in a field name', { b: { 'a\u0000': 1 } }, ['b'], 'text_nul'],
  ])('names %s', (_, value, path, code) => {
    expect(findUnstorable(value)).toMatchObject([{ path, code }])
  })

  it('refuses nesting beyond the limit without recursing into it', () => {
    let value: unknown = 1
    for (let depth = 0; depth < 50_000; depth += 1) value = [value]
    expect(findUnstorable(value)).toMatchObject([{ code: 'too_deep' }])
  })

  it('stops at twenty issues', () => {
    expect(findUnstorable(Array.from({ length: 100 }, () => '\u0000'))).toHaveLength(20)
  })
})
