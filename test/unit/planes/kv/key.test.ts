import { describe, expect, it } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import { assertKeyLength, keySchema } from '../../../../src/planes/kv/key.ts'

describe('keySchema', () => {
  it.each([
    'a',
    '  ',
    ' a ',
    'größe/東京 1',
    '👩‍👩‍👧',
    'e\u0301',
    '\u00e9',
    '__proto__',
    'constructor',
    '%_\\',
    "'; drop table x; --",
    '$1 :name %s {0}',
    '<|endoftext|>',
    '\u2028',
  ])('takes %j as it is (cases 80, 82, 92)', (key) => {
    expect(keySchema.parse(key)).toBe(key)
  })

  it.each([
    ['empty', ''],
    ['with NUL (case 90)', 'pump\u0000status'],
    ['with a tab', 'a\tb'],
    ['with a line break', 'a\nb'],
    ['with DEL', 'a\u007f'],
    ['with a C1 control', 'a\u0085b'],
    ['with a high surrogate alone', 'a\ud800'],
    ['with a low surrogate alone', '\udc00a'],
  ])('refuses a key %s', (_, key) => {
    expect(keySchema.safeParse(key).success).toBe(false)
  })
})

describe('assertKeyLength', () => {
  it('counts UTF-16 code units and names the place', () => {
    expect(() => assertKeyLength('x'.repeat(512), 512)).not.toThrow()
    expect(() => assertKeyLength('😀'.repeat(256), 512)).not.toThrow()
    try {
      assertKeyLength('😀'.repeat(257), 512, ['entries', 3, 'key'])
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(HeddleError)
      expect((error as HeddleError).issues).toEqual([
        {
          path: ['entries', 3, 'key'],
          code: 'too_big',
          message: 'Expected at most 512 characters',
        },
      ])
    }
  })
})
