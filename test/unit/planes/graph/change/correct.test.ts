import { describe, expect, it } from 'vitest'

import { MANY, refusalOf, Timeline } from '../timeline.ts'

const correct = (valueKey: string, validAt: bigint, rest: object = {}) =>
  ({ op: 'correct', valueKey, validAt, ...rest }) as const

describe('correct', () => {
  it('cuts a version in two and puts the right value between', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const change = timeline.correct('bergen', 3n, 6n)
    expect(timeline.believed()).toEqual(['oslo [0, 3)', 'bergen [3, 6)', 'oslo [6, open)'])
    expect(change.close).toMatchObject([{ reason: 'corrected' }])
    expect(change.add.map(({ lineage }) => lineage.reason)).toEqual([
      'remainder',
      'remainder',
      'correction',
    ])
  })

  it('puts one version in place of several values that touch', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    const change = timeline.correct('paris', 2n, 8n)
    expect(timeline.believed()).toEqual(['oslo [0, 2)', 'paris [2, 8)', 'bergen [8, open)'])
    const right = change.add.find(({ valueKey }) => valueKey === 'paris')
    expect(right?.lineage.from).toEqual(change.close.map(({ versionId }) => versionId))
  })

  it('that reaches before the first start changes only what was held', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 10n)
    timeline.correct('bergen', 5n, 20n)
    expect(timeline.believed()).toEqual(['bergen [10, 20)', 'oslo [20, open)'])
  })

  it('that reaches before the first start with fill holds from its own start', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 10n)
    timeline.do(correct('bergen', 5n, { invalidAt: 20n, fill: true }))
    expect(timeline.believed()).toEqual(['bergen [5, 20)', 'oslo [20, open)'])
  })

  it('leaves gaps, and with fill closes them', () => {
    const gapped = (): Timeline => {
      const timeline = new Timeline()
      timeline.assert('oslo', 0n, 3n)
      timeline.assert('bergen', 6n)
      return timeline
    }
    const [kept, filled] = [gapped(), gapped()]
    kept.correct('paris', 0n)
    expect(kept.believed()).toEqual(['paris [0, 3)', 'paris [6, open)'])
    filled.do(correct('paris', 0n, { fill: true }))
    expect(filled.believed()).toEqual(['paris [0, open)'])
  })

  it('can be corrected in its turn, and every belief stays readable', () => {
    const timeline = new Timeline()
    timeline.assert('4 %', 1n)
    timeline.correct('5 %', 1n)
    timeline.correct('6 %', 1n)
    expect([150n, 250n, 350n].map((knownAt) => timeline.at(5n, knownAt))).toEqual([
      ['4 %'],
      ['5 %'],
      ['6 %'],
    ])
    expect(timeline.believed()).toEqual(['6 % [1, open)'])
  })

  it('supports what is right already and closes only what is wrong', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    const kept = timeline.current('oslo', 0n)
    const change = timeline.correct('oslo', 2n, 8n)
    expect(change.supports).toEqual([{ factId: kept.factId, versionId: kept.versionId }])
    expect(change.close.map(({ factId }) => factId)).toEqual([timeline.factId('bergen')])
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'oslo [5, 8)', 'bergen [8, open)'])
  })

  it('of a retracted fact is refused where nothing is held, and with fill says what holds', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.retract('oslo')
    const factId = timeline.factId('oslo')
    expect(refusalOf(timeline.plan(correct('bergen', 2n, { factId })), timeline)).toEqual([
      'FACT_NOT_HELD',
    ])
    timeline.do(correct('bergen', 2n, { factId, invalidAt: 4n, fill: true }))
    expect(timeline.believed()).toEqual(['bergen [2, 4)'])
  })

  it('with if_version is refused unless it meets exactly that version', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    const { factId, versionId } = timeline.current('oslo', 0n)
    const read = { factId, ifVersion: versionId }
    const refused = timeline.plan(correct('paris', 2n, { invalidAt: 8n, ...read }))
    expect(refusalOf(refused, timeline)).toEqual(['VERSION_CHANGED', 'oslo', 'bergen'])
    timeline.do(correct('paris', 2n, { invalidAt: 5n, ...read }))
    expect(timeline.believed()).toEqual(['oslo [0, 2)', 'paris [2, 5)', 'bergen [5, open)'])
  })

  it('refuses an empty and a reversed range', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    for (const [invalidAt, code] of [
      [4n, 'RANGE_EMPTY'],
      [3n, 'RANGE_REVERSED'],
    ] as const) {
      expect(refusalOf(timeline.plan(correct('paris', 4n, { invalidAt })), timeline)).toEqual([
        code,
      ])
    }
  })
})

describe('correct of a many-valued predicate', () => {
  it('acts on the addressed fact only', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    timeline.assert('coffee', 0n)
    timeline.do(correct('cocoa', 2n, { invalidAt: 4n, factId: timeline.factId('tea') }))
    expect(timeline.believed()).toEqual([
      'coffee [0, open)',
      'tea [0, 2)',
      'cocoa [2, 4)',
      'tea [4, open)',
    ])
  })

  it('acts on what took the place of the fact when nothing of it is left in the range', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    timeline.assert('coffee', 0n)
    const factId = timeline.factId('tea')
    timeline.do({ op: 'supersede', valueKey: 'cocoa', validAt: 0n, factId })
    timeline.do(correct('milk', 1n, { factId }))
    expect(timeline.believed()).toEqual(['cocoa [0, 1)', 'coffee [0, open)', 'milk [1, open)'])
  })
})
