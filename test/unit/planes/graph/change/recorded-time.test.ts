import { describe, expect, it } from 'vitest'

import {
  checkGivenRecordedTime,
  nextRecordedTime,
} from '../../../../../src/planes/graph/change-set.ts'
import { refusalOf, Timeline } from '../timeline.ts'

const oslo = { op: 'assert', valueKey: 'oslo', validAt: 0n, invalidAt: 4n } as const

describe('recorded time', () => {
  it('by the server is the clock, but above everything that has passed', () => {
    expect(nextRecordedTime(50n, [10n, 20n])).toBe(50n)
    expect(nextRecordedTime(50n, [50n, 20n])).toBe(51n)
    expect(nextRecordedTime(50n, [50n, 70n])).toBe(71n)
  })

  it('that is given may not lie in the future', () => {
    expect(checkGivenRecordedTime(50n, 50n)).toBeUndefined()
    expect(checkGivenRecordedTime(51n, 50n)?.code).toBe('RECORDED_TIME_FUTURE')
  })

  it('may not lie before a version was added or closed', () => {
    const timeline = new Timeline()
    timeline.do(oslo, 100n)
    const early = timeline.plan({ ...oslo, validAt: 4n, invalidAt: 8n }, 99n)
    expect(refusalOf(early, timeline)).toEqual(['RECORDED_TIME_TOO_EARLY', 'oslo'])
    timeline.do({ op: 'retract', factId: timeline.factId('oslo') }, 200n)
    expect(refusalOf(timeline.plan(oslo, 199n), timeline)).toEqual([
      'RECORDED_TIME_TOO_EARLY',
      'oslo',
    ])
    expect(timeline.plan(oslo, 200n).kind).toBe('change')
  })

  it('may be that of the version before when nothing is closed', () => {
    const timeline = new Timeline()
    timeline.do(oslo, 100n)
    timeline.do({ ...oslo, validAt: 6n, invalidAt: 8n }, 100n)
    expect(timeline.believed(100n)).toEqual(['oslo [0, 4)', 'oslo [6, 8)'])
  })

  it('may not close a version at the instant at which it was added', () => {
    const timeline = new Timeline()
    timeline.do(oslo, 100n)
    const retract = { op: 'retract', factId: timeline.factId('oslo') } as const
    expect(refusalOf(timeline.plan(retract, 100n), timeline)).toEqual([
      'RECORDED_TIME_TOO_EARLY',
      'oslo',
    ])
    expect(timeline.plan(retract, 101n).kind).toBe('change')
  })

  it('is apart from valid time: what holds in the past may be learned late', () => {
    const timeline = new Timeline()
    timeline.do({ ...oslo, validAt: -500n, invalidAt: -400n }, 1_000n)
    expect(timeline.at(-450n, 999n)).toEqual([])
    expect(timeline.at(-450n, 1_000n)).toEqual(['oslo'])
  })
})
