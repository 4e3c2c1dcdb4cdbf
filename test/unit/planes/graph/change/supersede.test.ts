import { describe, expect, it } from 'vitest'

import { type FactId } from '../../../../../src/core/ids.ts'
import { MANY, refusalOf, Timeline } from '../timeline.ts'

const supersede = (valueKey: string, validAt: bigint, rest: object = {}) =>
  ({ op: 'supersede', valueKey, validAt, ...rest }) as const

describe('supersede', () => {
  it('closes the old value at V in valid time and keeps it readable as known before', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const change = timeline.supersede('bergen', 5n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'bergen [5, open)'])
    expect(timeline.believed(199n)).toEqual(['oslo [0, open)'])
    expect(change.close).toMatchObject([{ reason: 'superseded' }])
    const [remainder, successor] = change.add
    const old = change.close.map(({ versionId }) => versionId)
    expect(remainder?.lineage).toEqual({ reason: 'remainder', from: old })
    expect(successor?.lineage).toEqual({ reason: 'successor', from: old })
  })

  it('in the past, before a later version: the new value ends where the later one starts', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    timeline.supersede('paris', 2n)
    expect(timeline.believed()).toEqual(['oslo [0, 2)', 'paris [2, 5)', 'bergen [5, open)'])
  })

  it('in the future: what is held now stays current until then', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 10_000n)
    expect([9_999n, 10_000n].map((asOf) => timeline.at(asOf))).toEqual([['oslo'], ['bergen']])
  })

  it('at the exact start: nothing is left of the old value', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 3n)
    const change = timeline.supersede('bergen', 3n)
    expect(change.add.map(({ lineage }) => lineage.reason)).toEqual(['successor'])
    expect(timeline.believed()).toEqual(['bergen [3, open)'])
  })

  it('with a given end: the old value is not taken up again after it', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n, 8n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'bergen [5, 8)'])
  })

  it('of a value that ends: the new one goes on without end', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n, 8n)
    timeline.supersede('bergen', 5n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'bergen [5, open)'])
  })

  it('may end exactly where the next value starts, and not beyond', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n, 4n)
    timeline.assert('bergen', 6n)
    const beyond = timeline.plan(supersede('paris', 2n, { invalidAt: 7n }))
    expect(refusalOf(beyond, timeline)).toEqual(['SUPERSEDE_BEYOND_NEXT', 'bergen'])
    timeline.supersede('paris', 2n, 6n)
    expect(timeline.believed()).toEqual(['oslo [0, 2)', 'paris [2, 6)', 'bergen [6, open)'])
  })

  it('is refused in a gap, before the first start and at an end', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 2n, 4n)
    timeline.assert('bergen', 6n)
    for (const validAt of [1n, 4n, 5n]) {
      const refused = timeline.plan(supersede('paris', validAt))
      expect(refusalOf(refused, timeline)).toEqual(['FACT_NOT_HELD'])
    }
  })

  it('refuses an end before or at V', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const reversed = timeline.plan(supersede('paris', 5n, { invalidAt: 3n }))
    expect(refusalOf(reversed, timeline)).toEqual(['RANGE_REVERSED'])
    const empty = timeline.plan(supersede('paris', 5n, { invalidAt: 5n }))
    expect(refusalOf(empty, timeline)).toEqual(['RANGE_EMPTY'])
  })

  it('lets B follow A and A follow B again, each a version of its own fact', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    timeline.supersede('oslo', 8n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'bergen [5, 8)', 'oslo [8, open)'])
    expect(new Set(timeline.versions.map(({ factId }) => factId)).size).toBe(2)
    const again = timeline.current('oslo', 8n)
    const before = timeline.versions.find(({ versionId }) => versionId === again.lineage.from[0])
    expect(before?.valueKey).toBe('bergen')
  })

  it('takes back A over B at the same V with B over A', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    timeline.supersede('oslo', 5n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'oslo [5, open)'])
  })
})

describe('supersede of a value with itself', () => {
  it('supports it, and closes nothing', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    expect(timeline.supersede('oslo', 5n)).toMatchObject({ close: [], add: [], supports: [{}] })
  })

  it('lets a value that ends go on to the next', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n, 6n)
    timeline.assert('bergen', 9n)
    timeline.supersede('oslo', 5n)
    expect(timeline.believed()).toEqual(['oslo [0, 6)', 'oslo [6, 9)', 'bergen [9, open)'])
  })

  it('moves its end where a nearer one is given', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const change = timeline.supersede('oslo', 5n, 7n)
    expect(timeline.believed()).toEqual(['oslo [0, 7)'])
    expect(change.supports).toEqual(
      change.add.map(({ factId, versionId }) => ({ factId, versionId })),
    )
  })
})

describe('an addressed fact', () => {
  it('stands for its successor: twenty writers of one single-valued fact form a chain of twenty', () => {
    const timeline = new Timeline()
    timeline.assert('v0', 0n)
    const factId = timeline.factId('v0')
    const changes = Array.from({ length: 20 }, (_, index) =>
      timeline.do(supersede(`v${index + 1}`, 5n, { factId })),
    )
    const closed = changes.map(({ close }) => close.map((closing) => closing.factId))
    expect(closed).toEqual(changes.map((_, index) => [timeline.factId(`v${index}`)]))
    expect(timeline.believed()).toEqual(['v0 [0, 5)', 'v20 [5, open)'])
  })

  it('stands for its successor also among other values of a many-valued predicate', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    timeline.assert('coffee', 0n)
    const factId = timeline.factId('tea')
    for (const valueKey of ['cocoa', 'milk', 'juice']) {
      timeline.do(supersede(valueKey, 5n, { factId }))
    }
    expect(timeline.believed()).toEqual(['coffee [0, open)', 'tea [0, 5)', 'juice [5, open)'])
  })

  it('with if_version: one of twenty writers wins and the others have to read again', () => {
    const timeline = new Timeline()
    timeline.assert('v0', 0n)
    const { factId, versionId } = timeline.current('v0', 0n)
    const read = { factId, ifVersion: versionId }
    timeline.do(supersede('v1', 5n, read))
    for (let writer = 2; writer <= 20; writer += 1) {
      const refused = timeline.plan(supersede(`v${writer}`, 5n, read))
      expect(refusalOf(refused, timeline)).toEqual(['VERSION_CHANGED', 'v1'])
    }
  })

  it('has to be one of that subject and predicate', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const refused = timeline.plan(supersede('paris', 5n, { factId: 'foreign' as FactId }))
    expect(refusalOf(refused, timeline)).toEqual(['NOT_FOUND'])
  })

  it('has to be named when the predicate is many-valued', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    expect(refusalOf(timeline.plan(supersede('cocoa', 5n)), timeline)).toEqual(['FACT_NOT_NAMED'])
  })

  it('of a many-valued predicate is not guessed when two values took its place at once', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    const factId = timeline.factId('tea')
    timeline.do(supersede('cocoa', 5n, { factId }))
    timeline.assert('tea', 5n)
    timeline.do(supersede('milk', 5n, { factId }))
    const refused = timeline.plan(supersede('juice', 6n, { factId }))
    expect(refusalOf(refused, timeline)).toEqual(['VERSION_CHANGED', 'cocoa', 'milk'])
  })
})

describe('supersede of a many-valued predicate', () => {
  it('is not cut by the start of an unrelated value, only by the next period of the same fact', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n, 4n)
    timeline.assert('coffee', 3n)
    timeline.assert('tea', 9n)
    timeline.do(supersede('cocoa', 2n, { factId: timeline.factId('tea') }))
    expect(timeline.believed()).toEqual([
      'tea [0, 2)',
      'cocoa [2, 9)',
      'coffee [3, open)',
      'tea [9, open)',
    ])
  })

  it('may have an end beyond the next period', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n, 4n)
    timeline.assert('tea', 9n)
    timeline.do(supersede('cocoa', 2n, { factId: timeline.factId('tea'), invalidAt: 12n }))
    expect(timeline.believed()).toEqual(['tea [0, 2)', 'cocoa [2, 12)', 'tea [9, open)'])
  })

  it('supports the next value where that is held already', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    timeline.assert('cocoa', 3n, 6n)
    const change = timeline.do(supersede('cocoa', 2n, { factId: timeline.factId('tea') }))
    expect(change.supports).toHaveLength(1)
    expect(timeline.believed()).toEqual([
      'tea [0, 2)',
      'cocoa [2, 3)',
      'cocoa [3, 6)',
      'cocoa [6, open)',
    ])
  })
})
