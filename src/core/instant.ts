import { HeddleError } from './errors.ts'

declare const brand: unique symbol

/**
 * A moment as ISO 8601 text in UTC with exactly six fractional digits, such as
 * `2026-11-30T08:15:00.123456Z`. Equal moments are equal strings, and for years 0000 to 9999 order
 * is string order. Never a `Date`: that drops the microseconds Postgres keeps.
 */
export type Instant = string & { readonly [brand]: 'Instant' }

const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}(?::?\d{2})?)$/i

/**
 * Reads an ISO 8601 date and time with a zone and gives the canonical {@link Instant}.
 *
 * @throws HeddleError `INPUT_INVALID` when the text is partial, has no zone, names a day that does
 * not exist, or has more than microseconds.
 */
export function parseInstant(text: string): Instant {
  const instant = tryParseInstant(text)
  if (instant === undefined) {
    throw new HeddleError('INPUT_INVALID', {
      issues: [{ path: [], code: 'instant', message: INSTANT_RULE }],
    })
  }
  return instant
}

export const INSTANT_RULE =
  'Expected an ISO 8601 date and time with a zone, such as 2026-11-30T08:15:00Z, of at most microseconds'

export function tryParseInstant(text: string): Instant | undefined {
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = match
  const wallMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(wallMs) || !isSameDay(wallMs, Number(day))) return undefined
  const offset = zoneOffsetMinutes(zone)
  if (offset === undefined) return undefined
  const utc = new Date(wallMs - offset * 60_000).toISOString()
  if (utc.length !== 24) return undefined // outside years 0000-9999
  return `${utc.slice(0, 19)}.${fraction.padEnd(6, '0')}Z` as Instant
}

/** `Date.parse` turns 30 February into 2 March; the day of the month gives it away. */
function isSameDay(ms: number, day: number): boolean {
  return new Date(ms).getUTCDate() === day
}

function zoneOffsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const sign = zone.startsWith('-') ? -1 : 1
  const digits = zone.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2) || '0')
  if (hours > 15 || minutes > 59) return undefined
  return sign * (hours * 60 + minutes)
}
