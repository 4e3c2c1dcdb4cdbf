import { describe, expect, it } from 'vitest'

import { type FactId } from '../../../../../src/core/ids.ts'
import { refusalOf, Timeline } from '../timeline.ts'

describe('retract', () => {
  it('takes all periods of a fact and keeps them readable as known before', () => {
    const timeline = new Timeline()
    timeline.assert('payments', 0n, 4n)
    timeline.assert('payments', 8n)
    const change = timeline.retract('payments')
    expect(change.close).toMatchObject([{ reason: 'retracted' }, { reason: 'retracted' }])
    expect(change.add).toEqual([])
    expect(timeline.believed()).toEqual([])
    expect(timeline.believed(299n)).toEqual(['payments [0, 4)', 'payments [8, open)'])
  })

  it('takes one period when its version is named', () => {
    const timeline = new Timeline()
    timeline.assert('payments', 0n, 4n)
    timeline.assert('payments', 8n)
    const { factId, versionId } = timeline.current('payments', 0n)
    timeline.do({ op: 'retract', factId, ifVersion: versionId })
    expect(timeline.believed()).toEqual(['payments [8, open)'])
    const again = timeline.plan({ op: 'retract', factId, ifVersion: versionId })
    expect(refusalOf(again, timeline)).toEqual(['VERSION_CHANGED', 'payments'])
  })

  it('then assert again: the same fact, with a new version', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.retract('oslo')
    const change = timeline.assert('oslo', 0n)
    expect(change.supports).toEqual([])
    expect(change.add.map(({ factId }) => factId)).toEqual([timeline.factId('oslo')])
    expect([150n, 250n, 350n].map((knownAt) => timeline.at(1n, knownAt).length)).toEqual([1, 0, 1])
  })

  it('says when the reason is lost support', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const factId = timeline.factId('oslo')
    const change = timeline.do({ op: 'retract', factId, reason: 'support_lost' })
    expect(change.close).toMatchObject([{ reason: 'support_lost' }])
    expect(timeline.versions[0]?.closed).toEqual({ by: change.changeId, reason: 'support_lost' })
  })

  it('is refused for what is retracted already and for what was never there', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.retract('oslo')
    const again = timeline.plan({ op: 'retract', factId: timeline.factId('oslo') })
    expect(refusalOf(again, timeline)).toEqual(['FACT_NOT_HELD'])
    const foreign = timeline.plan({ op: 'retract', factId: 'foreign' as FactId })
    expect(refusalOf(foreign, timeline)).toEqual(['NOT_FOUND'])
  })
})
