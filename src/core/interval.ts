import { HeddleError } from './errors.ts'
import { type Instant, parseInstant } from './instant.ts'

/**
 * A moment as microseconds since 1970-01-01T00:00:00Z. A `bigint`, because the years 0000 to 9999 of
 * an {@link Instant} do not fit into the exact integers of a `number` (those end in 2255), and
 * because Neo4j stores the same 64-bit integer.
 */
export type Micros = bigint

/** The end of an interval that has none: the largest 64-bit integer, later than every {@link Instant}. */
export const OPEN_END: Micros = 2n ** 63n - 1n

/**
 * A half-open stretch of one time axis: `start` is in, `end` is out, and `end` is {@link OPEN_END}
 * when it is open. Every interval in the code has `start < end`, so that there is no empty one.
 */
export interface Interval {
  readonly start: Micros
  readonly end: Micros
}

export function contains(interval: Interval, point: Micros): boolean {
  return interval.start <= point && point < interval.end
}

/** Whether a point lies in both; intervals that only touch do not overlap. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end
}

/** The points that lie in both, or undefined when there are none. */
export function intersect(a: Interval, b: Interval): Interval | undefined {
  if (!overlaps(a, b)) return undefined
  return { start: later(a.start, b.start), end: earlier(a.end, b.end) }
}

/** What is left of an interval outside all of the cuts, in order. */
export function subtract(from: Interval, cuts: readonly Interval[]): Interval[] {
  return cuts.reduce<Interval[]>(
    (left, cut) => left.flatMap((piece) => subtractOne(piece, cut)),
    [from],
  )
}

function subtractOne(from: Interval, cut: Interval): Interval[] {
  if (!overlaps(from, cut)) return [from]
  const before = { start: from.start, end: cut.start }
  const after = { start: cut.end, end: from.end }
  return [before, after].filter(({ start, end }) => start < end)
}

/** The fewest intervals that hold the same points, in order: those that overlap or touch become one. */
export function unite(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => compare(a.start, b.start))
  const united: Interval[] = []
  for (const next of sorted) {
    const last = united.at(-1)
    if (last === undefined || last.end < next.start) united.push(next)
    else united[united.length - 1] = { start: last.start, end: later(last.end, next.end) }
  }
  return united
}

/** Negative, zero or positive, as `Array.sort` wants it. */
export function compare(a: Micros, b: Micros): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function later(a: Micros, b: Micros): Micros {
  return a > b ? a : b
}

function earlier(a: Micros, b: Micros): Micros {
  return a < b ? a : b
}

const MICROS_PER_SECOND = 1_000_000n
const WHOLE_SECONDS = 19 // the length of 2026-11-30T08:15:00

export function toMicros(instant: Instant): Micros {
  const wholeMs = Date.parse(`${instant.slice(0, WHOLE_SECONDS)}Z`)
  return BigInt(wholeMs) * 1000n + BigInt(instant.slice(WHOLE_SECONDS + 1, -1))
}

/**
 * The text of a moment.
 *
 * @throws HeddleError `INTERNAL` for {@link OPEN_END} and everything else outside the years 0000 to 9999.
 */
export function fromMicros(micros: Micros): Instant {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND
  const seconds = (micros - fraction) / MICROS_PER_SECOND
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) {
    throw new HeddleError('INTERNAL', { message: 'A moment outside the years 0000 to 9999.' })
  }
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, WHOLE_SECONDS)
  return parseInstant(`${text}.${fraction.toString().padStart(6, '0')}Z`)
}

const FIRST_SECOND = BigInt(Date.parse('0000-01-01T00:00:00Z') / 1000)
const LAST_SECOND = BigInt(Date.parse('9999-12-31T23:59:59Z') / 1000)
