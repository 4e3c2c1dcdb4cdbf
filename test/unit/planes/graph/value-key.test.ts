import { describe, expect, it } from 'vitest'

import { type EntityId } from '../../../../src/core/ids.ts'
import { parseInstant } from '../../../../src/core/instant.ts'
import { type FactValue, valueKey } from '../../../../src/planes/graph/value-key.ts'

const json = (value: unknown): FactValue => ({ type: 'json', value })

describe('valueKey', () => {
  it.each<[string, FactValue, FactValue]>([
    ['zero and minus zero', { type: 'number', value: 0 }, { type: 'number', value: -0 }],
    [
      'numbers however they are written',
      { type: 'number', value: 1.5e3 },
      { type: 'number', value: 1500 },
    ],
    [
      'JSON with its keys in another order',
      json({ a: 1, b: { c: 2, d: 3 } }),
      json({ b: { d: 3, c: 2 }, a: 1 }),
    ],
    ['minus zero deep inside JSON', json([{ a: -0 }]), json([{ a: 0 }])],
    [
      'one moment in two zones',
      { type: 'instant', value: parseInstant('2024-05-01T10:00:00+02:00') },
      { type: 'instant', value: parseInstant('2024-05-01T08:00:00Z') },
    ],
  ])('is equal for %s', (_, a, b) => {
    expect(valueKey(a)).toBe(valueKey(b))
  })

  it('is different for everything that differs in type, value or order', () => {
    const values: FactValue[] = [
      { type: 'string', value: '5' },
      { type: 'number', value: 5 },
      { type: 'number', value: 5.000000000000001 },
      { type: 'string', value: 'true' },
      { type: 'boolean', value: true },
      { type: 'boolean', value: false },
      { type: 'string', value: '2026-11-30' },
      { type: 'date', value: '2026-11-30' },
      { type: 'instant', value: parseInstant('2026-11-30T00:00:00Z') },
      { type: 'string', value: 'e1' },
      { type: 'entity', value: 'e1' as EntityId },
      { type: 'string', value: '\u00c5' },
      { type: 'string', value: 'A\u030a' },
      json(5),
      json('5'),
      json(null),
      json([1, 2]),
      json([2, 1]),
      json([]),
      json({}),
      json({ a: null }),
      json({ a: '1,"b":2' }),
      json({ a: 1, b: 2 }),
      json(JSON.parse('{"__proto__": 1}')),
      json({ constructor: 1 }),
    ]
    expect(new Set(values.map(valueKey)).size).toBe(values.length)
  })

  it.each([NaN, Infinity, -Infinity])('refuses %d, also inside JSON', (number) => {
    const refused = expect.objectContaining({ code: 'VALUE_NOT_FINITE' }) as unknown
    expect(() => valueKey({ type: 'number', value: number })).toThrow(refused)
    expect(() => valueKey(json({ a: [1, { b: number }] }))).toThrow(refused)
  })
})
