import { describe, expect, it } from 'vitest'

import { historyOf, versionsAt } from '../../../../src/planes/graph/read-versions.ts'
import { show, Timeline } from './timeline.ts'

describe('versionsAt', () => {
  it('takes starts in and leaves ends out, on both axes', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 3n, 7n)
    timeline.retract('oslo')
    const isHeld = (asOf: bigint, knownAt: bigint) =>
      versionsAt(timeline.versions, { asOf, knownAt }).length === 1
    expect([2n, 3n, 6n, 7n].map((asOf) => isHeld(asOf, 100n))).toEqual([false, true, true, false])
    expect([99n, 100n, 199n, 200n].map((knownAt) => isHeld(3n, knownAt))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

describe('historyOf', () => {
  it('lists versions as they were recorded, with what each came from and went into', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    timeline.supersede('bergen', 5n)
    timeline.correct('paris', 3n, 8n)
    const entries = historyOf([...timeline.versions].reverse())
    expect(entries.map(({ version }) => show(version))).toEqual([
      'oslo [0, open)',
      'oslo [0, 5)',
      'bergen [5, open)',
      'oslo [0, 3)',
      'paris [3, 8)',
      'bergen [8, open)',
    ])
    const [first, second, third, ...rest] = entries
    const ids = (of: typeof rest) => of.map(({ version }) => version.versionId)
    expect(first?.into).toEqual([second?.version.versionId, third?.version.versionId])
    expect(second?.into).toEqual(ids(rest.slice(0, 2)))
    expect(third?.into).toEqual(ids(rest.slice(1)))
    expect(rest.map(({ into }) => into)).toEqual([[], [], []])
    expect(first?.version.closed?.reason).toBe('superseded')
    expect(second?.version.closed?.reason).toBe('corrected')
  })
})
