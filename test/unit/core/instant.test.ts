import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseInstant, tryParseInstant } from '../../../src/core/instant.ts'

describe('parseInstant', () => {
  it.each([
    ['2026-11-30T08:15:00Z', '2026-11-30T08:15:00.000000Z'],
    ['2026-11-30T08:15Z', '2026-11-30T08:15:00.000000Z'],
    ['2026-11-30T08:15:00.123456Z', '2026-11-30T08:15:00.123456Z'],
    ['2026-11-30t08:15:00.5z', '2026-11-30T08:15:00.500000Z'],
    ['2026-11-30 08:15:00+02:00', '2026-11-30T06:15:00.000000Z'],
    ['2026-11-30T00:15:00.000001+05:30', '2026-11-29T18:45:00.000001Z'],
    ['2024-02-29T00:00:00-00', '2024-02-29T00:00:00.000000Z'],
  ])('reads %s as %s', (text, canonical) => {
    expect(parseInstant(text)).toBe(canonical)
  })

  it.each([
    '',
    '2026',
    '2026-03',
    '2026-03-01',
    '2026-03-01T10:00:00',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:00:00.1234567Z',
    '2026-01-01T00:00:00+99:00',
    '0000-01-01T00:00:00+01:00',
    'now',
  ])('refuses %j', (text) => {
    expect(tryParseInstant(text)).toBeUndefined()
  })

  it('orders as text what is ordered in time, whatever the zones', () => {
    const moment = fc.record({
      ms: fc.integer({ min: 0, max: 4e12 }),
      offset: fc.integer({ min: -12, max: 12 }),
    })
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [first, second] = [a, b].map(({ ms, offset }) => parseInstant(withOffset(ms, offset)))
        expect(Math.sign(a.ms - b.ms)).toBe(
          first === second ? 0 : String(first) < String(second) ? -1 : 1,
        )
      }),
    )
  })
})

function withOffset(ms: number, hours: number): string {
  const wall = new Date(ms + hours * 3_600_000).toISOString().slice(0, 23)
  return `${wall}${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`
}
