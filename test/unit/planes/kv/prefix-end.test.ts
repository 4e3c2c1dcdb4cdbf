import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { prefixEnd } from '../../../../src/planes/kv/sql/prefix-end.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'b', '_', '%', '\\', '\u007f', '\ud7ff', '\ue000', '\u{10ffff}', '😀'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 6,
})

/** The order of collation "C" in a UTF-8 database. */
function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')) < 0
}

describe('prefixEnd', () => {
  it('bounds exactly the texts that begin with the prefix (case 8)', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (prefix, other, joined) => {
        const key = joined ? prefix + other : other
        const end = prefixEnd(prefix)
        const isInside = !isBefore(key, prefix) && (end === undefined || isBefore(key, end))
        expect(isInside).toBe(key.startsWith(prefix))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['', undefined],
    ['team_a', 'team_b'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
    ['\ud7ff', '\ue000'],
  ])('of %j is %j', (prefix, end) => {
    expect(prefixEnd(prefix)).toBe(end)
  })
})
