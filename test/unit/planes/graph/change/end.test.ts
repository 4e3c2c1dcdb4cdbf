import { describe, expect, it } from 'vitest'

import { refusalOf, Timeline } from '../timeline.ts'

describe('end', () => {
  it('keeps the fact up to its end, with the old belief readable', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const change = timeline.end('oslo', 5n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)'])
    expect(timeline.believed(199n)).toEqual(['oslo [0, open)'])
    expect(change.close).toMatchObject([{ reason: 'ended' }])
  })

  it('can lie in the future, and the fact is held until then', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.end('oslo', 10_000n)
    expect(timeline.at(9_999n)).toEqual(['oslo'])
  })

  it('then extend: the fact is asserted on, and goes on without a gap', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.end('oslo', 5n)
    timeline.assert('oslo', 3n, 9n)
    expect(timeline.believed()).toEqual(['oslo [0, 5)', 'oslo [5, 9)'])
  })

  it('acts on the period that holds there', () => {
    const timeline = new Timeline()
    timeline.assert('payments', 0n, 4n)
    timeline.assert('payments', 8n)
    timeline.end('payments', 10n)
    expect(timeline.believed()).toEqual(['payments [0, 4)', 'payments [8, 10)'])
  })

  it('is refused where the fact does not hold, and where it starts', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 2n, 5n)
    const end = (invalidAt: bigint) =>
      timeline.plan({ op: 'end', factId: timeline.factId('oslo'), invalidAt })
    expect(refusalOf(end(1n), timeline)).toEqual(['FACT_NOT_HELD', 'oslo'])
    expect(refusalOf(end(5n), timeline)).toEqual(['FACT_NOT_HELD', 'oslo'])
    expect(refusalOf(end(2n), timeline)).toEqual(['RANGE_EMPTY', 'oslo'])
  })

  it('does not end the successor of the fact', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    const refused = timeline.plan({ op: 'end', factId: timeline.factId('oslo'), invalidAt: 7n })
    expect(refusalOf(refused, timeline)).toEqual(['FACT_NOT_HELD', 'oslo'])
  })

  it('with if_version is refused when that version is closed', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const { factId, versionId } = timeline.current('oslo', 0n)
    timeline.end('oslo', 5n)
    const refused = timeline.plan({ op: 'end', factId, invalidAt: 3n, ifVersion: versionId })
    expect(refusalOf(refused, timeline)).toEqual(['VERSION_CHANGED', 'oslo'])
  })
})
