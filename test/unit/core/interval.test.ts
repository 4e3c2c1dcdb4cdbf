import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { type Instant, parseInstant } from '../../../src/core/instant.ts'
import {
  contains,
  fromMicros,
  intersect,
  type Interval,
  OPEN_END,
  overlaps,
  subtract,
  toMicros,
  unite,
} from '../../../src/core/interval.ts'

const POINTS = Array.from({ length: 12 }, (_, point) => BigInt(point))
const interval = fc
  .tuple(fc.nat(10), fc.nat(9))
  .map(([start, length]): Interval => ({ start: BigInt(start), end: BigInt(start + length + 1) }))
const intervals = fc.array(interval, { maxLength: 6 })

const pointsOf = (...of: readonly Interval[]): bigint[] =>
  POINTS.filter((point) => of.some((one) => contains(one, point)))

describe('intervals', () => {
  it('take their start in and leave their end out', () => {
    const one = { start: 3n, end: 5n }
    expect(POINTS.filter((point) => contains(one, point))).toEqual([3n, 4n])
    expect(contains({ start: 3n, end: OPEN_END }, OPEN_END - 1n)).toBe(true)
  })

  it('that touch do not overlap', () => {
    expect(overlaps({ start: 1n, end: 3n }, { start: 3n, end: 5n })).toBe(false)
    expect(intersect({ start: 1n, end: 3n }, { start: 3n, end: 5n })).toBeUndefined()
    expect(
      unite([
        { start: 3n, end: 5n },
        { start: 1n, end: 3n },
      ]),
    ).toEqual([{ start: 1n, end: 5n }])
  })

  it('subtract, intersect and unite as sets of points do', () => {
    fc.assert(
      fc.property(interval, intervals, (from, others) => {
        const cut = pointsOf(...others)
        const left = subtract(from, others)
        expect(pointsOf(...left)).toEqual(pointsOf(from).filter((point) => !cut.includes(point)))
        expect(left.every(({ start, end }) => start < end)).toBe(true)
        const common = others.flatMap((other) => intersect(from, other) ?? [])
        expect(pointsOf(...common)).toEqual(pointsOf(from).filter((point) => cut.includes(point)))
        const united = unite(others)
        expect(pointsOf(...united)).toEqual(cut)
        expect(united.every(({ start }, index) => start > (united[index - 1]?.end ?? -1n))).toBe(
          true,
        )
      }),
      { seed: 20_261_201, numRuns: 500 },
    )
  })
})

describe('moments', () => {
  it.each([
    ['1970-01-01T00:00:00.000000Z', 0n],
    ['1970-01-01T00:00:00.000001Z', 1n],
    ['1969-12-31T23:59:59.999999Z', -1n],
    ['2026-11-30T08:15:00.123456Z', 1_796_026_500_123_456n],
    ['0000-01-01T00:00:00.000000Z', -62_167_219_200_000_000n],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
  ])('%s is %d microseconds, there and back', (text, micros) => {
    expect(toMicros(text as Instant)).toBe(micros)
    expect(fromMicros(micros)).toBe(text)
  })

  it('keep every microsecond and their order', () => {
    const moment = fc.bigInt({ min: -62_167_219_200_000_000n, max: 253_402_300_799_999_999n })
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        expect(toMicros(fromMicros(a))).toBe(a)
        expect(fromMicros(a) < fromMicros(b)).toBe(a < b)
      }),
      { seed: 20_261_201, numRuns: 500 },
    )
  })

  it('outside the years of an instant have no text, an open end among them', () => {
    for (const micros of [OPEN_END, 253_402_300_800_000_000n, -62_167_219_200_000_001n]) {
      expect(() => fromMicros(micros)).toThrow()
    }
  })

  it('come before an open end', () => {
    expect(toMicros(parseInstant('9999-12-31T23:59:59.999999Z')) < OPEN_END).toBe(true)
  })
})
