import fc from 'fast-check'
import neo4j from 'neo4j-driver'
import { describe, expect, it } from 'vitest'

import type { CypherValue } from '../../../../src/engines/neo4j/statement.ts'
import { assertBindable, toCypherRecord, toText } from '../../../../src/engines/neo4j/values.ts'

const bind = (value: CypherValue) => () => {
  assertBindable({ name: 'probe.bind', text: 'RETURN $value', values: { value } })
}

describe('assertBindable', () => {
  it('takes every integer of 64 bits, at any depth, and no other', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
        fc.boolean(),
        (integer, isDeep) => {
          const fits = BigInt.asIntN(64, integer) === integer
          const check = bind(isDeep ? [{ a: [null, integer] }] : integer)
          if (fits) check()
          else expect(check).toThrow(expect.objectContaining({ code: 'ENGINE_FAILED' }) as Error)
        },
      ),
    )
  })

  it('takes text, floats, booleans, null, lists and maps', () => {
    expect(bind({ list: ['ü', 0.5, true, null, []], map: {} })).not.toThrow()
  })

  it('refuses a value that is missing, which the driver would send as null', () => {
    const values = { a: { b: undefined } } as unknown as Record<string, CypherValue>
    expect(() => {
      assertBindable({ name: 'probe.bind', text: '', values })
    }).toThrow(
      expect.objectContaining({
        details: { engine: 'neo4j', statement: 'probe.bind', parameter: 'a', reason: 'undefined' },
      }) as Error,
    )
  })
})

describe('toCypherRecord', () => {
  it('hands plain rows on', () => {
    const row = { a: 1n, b: [{ c: null }], d: 'x' }
    expect(toCypherRecord('probe.read', row)).toEqual(row)
  })

  it.each([
    ['a node', new neo4j.types.Node(1n, ['X'], {})],
    ['a date', new neo4j.types.Date(2026, 1, 1)],
    ['an integer of the driver', neo4j.int(1)],
    ['bytes', new Uint8Array(2)],
    ['a list with a duration', [new neo4j.types.Duration(1, 1, 1, 1)]],
  ])('refuses %s', (_what, value) => {
    expect(() => toCypherRecord('probe.read', { column: value })).toThrow(
      expect.objectContaining({ code: 'ENGINE_FAILED' }) as Error,
    )
  })
})

describe('toText', () => {
  it('takes text only', () => {
    expect(toText('x')).toBe('x')
    expect(() => toText(undefined)).toThrow()
    expect(() => toText(1n)).toThrow()
  })
})
