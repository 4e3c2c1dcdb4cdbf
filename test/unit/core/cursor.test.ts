import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { cutPage, readCursor, resolvePageSize, writeCursor } from '../../../src/core/cursor.ts'
import { HeddleError } from '../../../src/core/errors.ts'

const Position = z.strictObject({ key: z.string(), rank: z.int() })
const PLACE = { operation: 'kv.list', filter: { prefix: 'a', scopes: ['s1', 's2'] } }
const CURSOR = writeCursor(PLACE, { key: 'abc', rank: 1 })

function codeOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    return error instanceof HeddleError ? error.code : 'OTHER'
  }
  return undefined
}

describe('cursor', () => {
  it('gives back the position it was written for, whatever its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), (key, rank) => {
        const cursor = writeCursor(PLACE, { key, rank })
        expect(cursor).toMatch(/^[\w-]+$/)
        expect(readCursor(cursor, PLACE, Position)).toEqual({ key, rank })
      }),
    )
  })

  it('does not depend on the order of the filter fields', () => {
    const place = { operation: 'kv.list', filter: { scopes: ['s1', 's2'], prefix: 'a' } }
    expect(readCursor(CURSOR, place, Position)).toEqual({ key: 'abc', rank: 1 })
  })

  it.each([
    ['another operation', { ...PLACE, operation: 'kv.history' }],
    ['another argument', { ...PLACE, filter: { ...PLACE.filter, prefix: 'b' } }],
    ['other scopes', { ...PLACE, filter: { ...PLACE.filter, scopes: ['s2', 's1'] } }],
    ['an argument more', { ...PLACE, filter: { ...PLACE.filter, kind: 'kv' } }],
  ])('is refused with %s', (_, place) => {
    expect(codeOf(() => readCursor(CURSOR, place, Position))).toBe('CURSOR_INVALID')
  })

  it.each([
    ['nothing', ''],
    ['words', 'next please'],
    ['JSON that is no cursor', Buffer.from('{"at":1}').toString('base64url')],
    ['a stray character', `${CURSOR} `],
    ['padding', `${CURSOR}==`],
    ['the other alphabet', `${CURSOR}+/`],
    ['a beginning', CURSOR.slice(0, -4)],
    ['a field more', edit((envelope) => ({ ...envelope, more: 1 }))],
    ['a position of another shape', edit((envelope) => ({ ...envelope, at: { key: 1 } }))],
    ['ten megabytes', 'A'.repeat(10_000_000)],
  ])('is refused when it is %s', (_, cursor) => {
    expect(codeOf(() => readCursor(cursor, PLACE, Position))).toBe('CURSOR_INVALID')
  })

  it('is absent at the beginning, and after the last page', () => {
    expect(readCursor(undefined, PLACE, Position)).toBeUndefined()
    const toPosition = (rank: number) => ({ key: 'abc', rank })
    expect(cutPage([1, 2], 2, PLACE, toPosition)).toEqual({ page: [1, 2], next: {} })
    expect(cutPage([], 2, PLACE, toPosition)).toEqual({ page: [], next: {} })
    const { page, next } = cutPage([1, 2, 3], 2, PLACE, toPosition)
    expect(page).toEqual([1, 2])
    expect(readCursor(next.next_cursor, PLACE, Position)).toEqual({ key: 'abc', rank: 2 })
  })

  it('has pages of the size that was asked for, of 50, or of the maximum', () => {
    expect(resolvePageSize(7, 200)).toBe(7)
    expect(resolvePageSize(200, 200)).toBe(200)
    expect(resolvePageSize(undefined, 200)).toBe(50)
    expect(resolvePageSize(undefined, 20)).toBe(20)
    expect(codeOf(() => resolvePageSize(201, 200))).toBe('INPUT_INVALID')
  })
})

function edit(change: (envelope: object) => unknown): string {
  const envelope = JSON.parse(Buffer.from(CURSOR, 'base64url').toString('utf8')) as object
  return Buffer.from(JSON.stringify(change(envelope))).toString('base64url')
}
