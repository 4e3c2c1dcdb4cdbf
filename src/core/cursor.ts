import { createHash } from 'node:crypto'

import { z } from 'zod'

import { canonicalJson } from './canonical-json.ts'
import { HeddleError } from './errors.ts'
import { invalidInput } from './invalid-input.ts'

/** Longest cursor that is looked at, in characters. */
const MAX_CURSOR_LENGTH = 8192
/** Records of a page when the caller does not say. */
const DEFAULT_PAGE_SIZE = 50

/** The `cursor` field of a paged operation. */
export const cursorSchema = z
  .string()
  .max(MAX_CURSOR_LENGTH)
  .describe('next_cursor of the page before; leave the other arguments as they were')

/** {@link resolvePageSize} applies the configured maximum. */
const pageLimitSchema = z.int().min(1).describe(`Records per page; default ${DEFAULT_PAGE_SIZE}`)

/** What a paged operation takes beside what it lists. */
export const pageFields = { limit: pageLimitSchema.optional(), cursor: cursorSchema.optional() }

/** Which list a cursor belongs to. */
export interface CursorPlace {
  /** Name of the operation. */
  readonly operation: string
  /** Whatever decides which records the list has, scope ids included; the page size is not part of it. */
  readonly filter: Readonly<Record<string, unknown>>
}

/**
 * Writes the position where a page ended as opaque text: base64url JSON of the position and a hash of
 * its place. A cursor is no secret and carries no right: whoever forges one only starts elsewhere in
 * what they may read anyway.
 */
export function writeCursor(place: CursorPlace, position: unknown): string {
  return toText({ at: position, of: hashPlace(place) })
}

/**
 * Reads a position back; undefined, the beginning, when there is no cursor.
 *
 * @throws HeddleError `CURSOR_INVALID` when the text was not written for that place, or the position
 * does not fit its schema.
 */
export function readCursor<Position>(
  cursor: string | undefined,
  place: CursorPlace,
  position: z.ZodType<Position>,
): Position | undefined {
  if (cursor === undefined) return undefined
  const Envelope = z.strictObject({ at: position, of: z.literal(hashPlace(place)) })
  const parsed = Envelope.safeParse(fromText(cursor))
  // Decoding skips stray characters, so only text that we would write ourselves is accepted.
  if (!parsed.success || toText(parsed.data) !== cursor) throw new HeddleError('CURSOR_INVALID')
  return parsed.data.at
}

/**
 * Cuts what was found, asked for with one record more than a page holds, to the page; with the cursor of
 * the next one when there is one.
 */
export function cutPage<T>(
  found: readonly T[],
  size: number,
  place: CursorPlace,
  positionOf: (last: T) => unknown,
): { readonly page: readonly T[]; readonly next: { readonly next_cursor?: string } } {
  const last = found[size - 1]
  const hasMore = found.length > size && last !== undefined
  return {
    page: found.slice(0, size),
    next: hasMore ? { next_cursor: writeCursor(place, positionOf(last)) } : {},
  }
}

/**
 * The number of records of a page.
 *
 * @throws HeddleError `INPUT_INVALID` when more were asked for than `pageSize`, the configured maximum.
 */
export function resolvePageSize(asked: number | undefined, pageSize: number): number {
  if (asked === undefined) return Math.min(DEFAULT_PAGE_SIZE, pageSize)
  if (asked <= pageSize) return asked
  throw invalidInput(['limit'], 'too_big', `Expected at most ${pageSize}`)
}

interface Envelope {
  readonly at: unknown
  readonly of: string
}

function toText({ at, of }: Envelope): string {
  return Buffer.from(JSON.stringify({ at, of }), 'utf8').toString('base64url')
}

function fromText(cursor: string): unknown {
  if (cursor.length > MAX_CURSOR_LENGTH) return undefined
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

function hashPlace({ operation, filter }: CursorPlace): string {
  const text = canonicalJson([operation, filter])
  return createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22)
}
