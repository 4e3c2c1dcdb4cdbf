import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import type { KvEntryId } from '../../../../src/core/ids.ts'
import { type Instant, parseInstant } from '../../../../src/core/instant.ts'
import type { Change, ChangeContext, KeyState } from '../../../../src/planes/kv/change.ts'
import { atEntry, planChanges, samePlace } from '../../../../src/planes/kv/plan.ts'

const AT = parseInstant('2026-11-30T08:15:00.000100Z')
const LATER = parseInstant('2026-11-30T08:15:00.000101Z')

function makeContext(): ChangeContext {
  let next = 0
  return {
    at: AT,
    expiryAfter: () => LATER,
    newId: () => `id-${(next += 1)}`,
    valueBytes: 100,
  }
}

function live(key: string, text: string, revision: number, expiresAt?: Instant): KeyState {
  const bytes = Buffer.byteLength(key) + Buffer.byteLength(text)
  return { key, revision, live: { entryId: 'old' as KvEntryId, text, bytes, expiresAt } }
}

function plan(states: readonly KeyState[], changes: readonly Change[]) {
  const held = new Map(states.map((state) => [state.key, state]))
  return planChanges(held, changes, makeContext(), atEntry)
}

function failure(run: () => unknown): HeddleError {
  try {
    run()
  } catch (error) {
    if (error instanceof HeddleError) return error
    throw error
  }
  return expect.unreachable()
}

describe('planChanges', () => {
  it('counts revisions on from the last one a deleted key had', () => {
    const { outcomes, history } = plan(
      [{ key: 'k', revision: 4 }],
      [{ op: 'set', key: 'k', value: 1, ifRevision: 0 }],
    )
    expect(outcomes[0]?.state.revision).toBe(5)
    expect(history).toMatchObject([{ op: 'set', revision: 5, entryId: 'id-1', text: '1' }])
  })

  it('applies changes of one key in order, each on what the one before left', () => {
    const { outcomes, after, history, growth } = plan(
      [],
      [
        { op: 'set', key: 'k', value: 5 },
        { op: 'incr', key: 'k', by: 2, initial: 0, ifRevision: 1 },
        { op: 'delete', key: 'k' },
        { op: 'append_unique', key: 'k', items: ['x'], ifRevision: 0 },
      ],
    )
    expect(outcomes.map(({ state }) => state.revision)).toEqual([1, 2, 3, 4])
    expect(history.map(({ op, text }) => [op, text])).toEqual([
      ['set', '5'],
      ['incr', '7'],
      ['delete', undefined],
      ['append_unique', '["x"]'],
    ])
    expect(after).toMatchObject([
      { key: 'k', revision: 4, live: { entryId: 'id-2', text: '["x"]' } },
    ])
    expect(growth).toEqual([2, 2, 0, 6])
  })

  it('treats an entry as gone from the moment it expires, and notes the expiry', () => {
    const changes: Change[] = [{ op: 'incr', key: 'k', by: 1, initial: 0 }]
    const expired = plan([live('k', '41', 3, AT)], changes)
    expect(expired.history).toMatchObject([
      { op: 'expire', revision: 4, entryId: 'old', changedAt: AT },
      { op: 'incr', revision: 5, entryId: 'id-1', text: '1' },
    ])
    expect(expired.growth).toEqual([-1])
    const current = plan([live('k', '41', 3, LATER)], changes)
    expect(current.history).toMatchObject([{ op: 'incr', revision: 4, text: '42' }])
    expect(current.after[0]?.live?.expiresAt).toBe(LATER)
  })

  it('lets a reducer keep the expiry and a set without ttl clear it', () => {
    const states = [live('k', '[1]', 1, LATER)]
    const pushed = plan(states, [{ op: 'push_bounded', key: 'k', items: [2], max: 5 }])
    expect(pushed.after[0]?.live?.expiresAt).toBe(LATER)
    const cleared = plan(states, [{ op: 'set', key: 'k', value: 1 }])
    expect(cleared.after[0]?.live?.expiresAt).toBeUndefined()
    const renewed = plan(states, [{ op: 'set', key: 'k', value: 1, ttlSeconds: 9 }])
    expect(renewed.after[0]?.live?.expiresAt).toBe(LATER)
  })

  it.each<[string, Change]>([
    ['deleting nothing', { op: 'delete', key: 'none' }],
    ['appending what is there', { op: 'append_unique', key: 'list', items: [1] }],
    ['merging what is there', { op: 'merge', key: 'map', patch: { a: 1, b: null } }],
    ['adding zero', { op: 'incr', key: 'n', by: 0, initial: 0 }],
  ])('leaves no revision when %s', (_, change) => {
    const states = [live('list', '[1]', 2), live('map', '{"a":1}', 2), live('n', '1', 2)]
    const { history, after, outcomes } = plan(states, [change])
    expect({ history, after }).toEqual({ history: [], after: [] })
    expect(outcomes[0]?.state.revision).toBe(change.op === 'delete' ? 0 : 2)
  })

  it.each([
    [5, 4],
    [0, 4],
  ])('refuses revision %i of an entry at %i', (expected, actual) => {
    const change: Change = { op: 'set', key: 'k', value: 1, ifRevision: expected }
    const error = failure(() => plan([live('k', '1', 4)], [change]))
    expect(error.code).toBe('REVISION_MISMATCH')
    expect(error.details).toEqual({ expected, actual, index: 0 })
  })

  it('tells a deleted, an expired and a never stored key alike', () => {
    const change: Change = { op: 'delete', key: 'k', ifRevision: 4 }
    const states = [[{ key: 'k', revision: 4 }], [live('k', '1', 4, AT)], []]
    const errors = states.map((held) => failure(() => plan(held, [change])))
    expect(errors.map(({ details }) => details)).toEqual(
      Array.from({ length: 3 }, () => ({ expected: 4, actual: 0, index: 0 })),
    )
  })

  it('names the place of the change that fails', () => {
    const changes: Change[] = [
      { op: 'set', key: 'a', value: 'x' },
      { op: 'set', key: 'b', value: 'x'.repeat(99) },
    ]
    const error = failure(() => plan([], changes))
    expect(error.code).toBe('KV_VALUE_TOO_LARGE')
    expect(error.issues).toMatchObject([{ path: ['entries', 1], code: 'kv_value_too_large' }])
    expect(error.details).toEqual({ bytes: 101, limit: 100, index: 1 })
  })

  it('leads to the same in one list as one by one', () => {
    const key = fc.constantFrom('a', 'b')
    const change: fc.Arbitrary<Change> = fc.oneof(
      fc.record({ op: fc.constant('set' as const), key, value: fc.constantFrom(1, '[]', [1], {}) }),
      fc.record({ op: fc.constant('delete' as const), key }),
      fc.record({
        op: fc.constant('push_bounded' as const),
        key,
        items: fc.constant([1]),
        max: fc.constant(2),
      }),
      fc.record({ op: fc.constant('append_unique' as const), key, items: fc.constant([2]) }),
    )
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const context = makeContext()
        const single = new Map<string, KeyState>()
        const history: unknown[] = []
        const applied: Change[] = []
        for (const each of changes) {
          try {
            const step = planChanges(single, [each], context, samePlace)
            for (const state of step.after) single.set(state.key, state)
            history.push(...step.history)
            applied.push(each)
          } catch (error) {
            expect((error as HeddleError).code).toBe('KV_TYPE_MISMATCH')
          }
        }
        const whole = planChanges(new Map(), applied, makeContext(), samePlace)
        expect(whole.history).toEqual(history)
        for (const state of whole.after) expect(state).toEqual(single.get(state.key))
      }),
    )
  })
})
