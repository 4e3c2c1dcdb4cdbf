import { describe, expect, it } from 'vitest'

import { parseInstant } from '../../../../src/core/instant.ts'
import { toMicros } from '../../../../src/core/interval.ts'
import { toRefusalError } from '../../../../src/planes/graph/change-set.ts'
import { MANY, ONE, refusalOf, Timeline } from './timeline.ts'

const at = (text: string) => toMicros(parseInstant(text))
const day = (date: string) => at(`${date}T00:00:00Z`)

describe('failures of other memories', () => {
  it('retires facts of the same subject and predicate only', () => {
    const bo = new Timeline(MANY, 'bo')
    bo.assert('coffee', 0n)
    const ada = new Timeline(MANY, 'ada')
    ada.assert('tea', 0n)
    ada.versions = [...ada.versions, ...bo.versions]
    const kayak = ada.versions.map((version) => ({ ...version, predicate: 'owns' }))
    ada.versions = [...ada.versions, ...kayak.filter(({ valueKey }) => valueKey === 'tea')]
    const change = ada.retract('tea')
    expect(change.close.map(({ versionId }) => versionId)).toEqual([ada.versions[0]?.versionId])
    const foreign = ada.plan({ op: 'end', factId: bo.factId('coffee'), invalidAt: 5n })
    expect(refusalOf(foreign, ada)).toEqual(['NOT_FOUND'])
  })

  it('keeps the two periods of an assignment', () => {
    const rhea = new Timeline()
    rhea.assert('payments', day('2026-01-01'), day('2026-04-01'))
    rhea.assert('payments', day('2026-09-01'))
    const held = ['2026-02-10', '2026-06-10', '2026-10-10'].map((date) => rhea.at(day(date)).length)
    expect(held).toEqual([1, 0, 1])
  })

  it('answers what was believed then about then', () => {
    const rate = new Timeline()
    const from = day('2026-03-01')
    rate.do({ op: 'assert', valueKey: '4 %', validAt: from }, day('2026-03-10'))
    rate.do({ op: 'correct', valueKey: '5 %', validAt: from }, day('2026-03-20'))
    const asOf = day('2026-03-05')
    expect(rate.at(asOf, day('2026-03-09'))).toEqual([])
    expect(rate.at(asOf, day('2026-03-15'))).toEqual(['4 %'])
    expect(rate.at(asOf, day('2026-03-25'))).toEqual(['5 %'])
  })

  it('refuses a range that ends before it starts', () => {
    const timeline = new Timeline()
    const [validAt, invalidAt] = [day('2026-05-02'), day('2026-05-01')]
    const refused = timeline.plan({ op: 'assert', valueKey: 'oslo', validAt, invalidAt })
    expect(refusalOf(refused, timeline)).toEqual(['RANGE_REVERSED'])
  })

  it('keeps the dates of both when one statement joins two beliefs', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', day('2021-01-01'), day('2022-01-01'))
    timeline.assert('oslo', day('2023-01-01'), day('2024-01-01'))
    const joined = timeline.assert('oslo', day('2021-01-01'), day('2024-01-01'))
    expect(joined.supports).toHaveLength(2)
    expect(joined.close).toEqual([])
    for (const date of ['2021-06-01', '2022-06-01', '2023-06-01']) {
      expect(timeline.at(day(date))).toEqual(['oslo'])
    }
    expect(timeline.at(day('2022-06-01'), 299n)).toEqual([])
  })
})

describe('a change', () => {
  it('tells two moments a microsecond apart', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', at('2026-11-30T08:15:00.123456Z'))
    timeline.supersede('bergen', at('2026-11-30T08:15:00.123457Z'))
    expect(timeline.at(at('2026-11-30T08:15:00.123455Z'))).toEqual([])
    expect(timeline.at(at('2026-11-30T08:15:00.123456Z'))).toEqual(['oslo'])
    expect(timeline.at(at('2026-11-30T08:15:00.123457Z'))).toEqual(['bergen'])
  })

  it('leaves the list of versions that it was planned on as it was', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const before = timeline.versions
    const copy = structuredClone(before)
    timeline.supersede('bergen', 5n)
    expect(before).toEqual(copy)
  })
})

describe('a refusal', () => {
  it('becomes an error with the ids and no contents', () => {
    const timeline = new Timeline(ONE)
    timeline.assert('oslo', 0n)
    const refused = timeline.plan({ op: 'assert', valueKey: 'paris', validAt: 2n })
    if (refused.kind === 'change') throw new Error('not refused')
    const { factId, versionId } = timeline.current('oslo', 0n)
    const error = toRefusalError(refused)
    expect(error.code).toBe('FACT_CONFLICT')
    expect(error.details).toEqual({ fact_ids: [factId], version_ids: [versionId] })
  })

  it('of an undo says which condition failed', () => {
    const timeline = new Timeline(ONE)
    const asserted = timeline.assert('oslo', 0n)
    timeline.end('oslo', 5n)
    const refused = timeline.planUndo(asserted)
    if (refused.kind === 'change') throw new Error('not refused')
    expect(toRefusalError(refused).details).toMatchObject({ because: 'changed' })
  })
})
