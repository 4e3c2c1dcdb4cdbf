import { describe, expect, it } from 'vitest'

import {
  type EntityId,
  type FactId,
  type FactVersionId,
  type GraphChangeId,
} from '../../../../../src/core/ids.ts'
import { OPEN_END } from '../../../../../src/core/interval.ts'
import { applyChange, planUndo } from '../../../../../src/planes/graph/change-set.ts'
import { type FactVersion } from '../../../../../src/planes/graph/fact-version.ts'
import { MANY, ONE, refusalOf, show, Timeline } from '../timeline.ts'

describe('undo', () => {
  it('of a correction brings back what was believed, as new versions that say where from', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const corrected = timeline.correct('bergen', 3n, 6n)
    const change = timeline.undo(corrected)
    expect(timeline.believed()).toEqual(['oslo [0, open)'])
    expect(timeline.believed(299n)).toEqual(['oslo [0, 3)', 'bergen [3, 6)', 'oslo [6, open)'])
    expect(change.close.map(({ reason }) => reason)).toEqual(['undone', 'undone', 'undone'])
    const [wrong] = corrected.close
    expect(change.add.map(({ lineage }) => lineage)).toEqual([
      { reason: 'restored', from: [wrong?.versionId] },
    ])
  })

  it('can be undone', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const ended = timeline.end('oslo', 5n)
    timeline.undo(timeline.undo(ended))
    expect(timeline.believed()).toEqual(['oslo [0, 5)'])
  })

  it('takes changes back one after the other, last first', () => {
    const timeline = new Timeline()
    const asserted = timeline.assert('oslo', 0n)
    const superseded = timeline.supersede('bergen', 5n)
    const ended = timeline.end('bergen', 9n)
    timeline.undo(ended)
    timeline.undo(superseded)
    expect(timeline.believed()).toEqual(['oslo [0, open)'])
    timeline.undo(asserted)
    expect(timeline.believed()).toEqual([])
  })

  it('may take back an undo whose effect is in force again by another one', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const ended = timeline.end('oslo', 5n)
    const undone = timeline.undo(ended)
    timeline.undo(undone)
    timeline.undo(ended)
    expect(timeline.believed()).toEqual(['oslo [0, open)'])
    timeline.undo(undone)
    expect(timeline.believed()).toEqual(['oslo [0, 5)'])
  })

  it('is refused with the versions that changed since', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const superseded = timeline.supersede('bergen', 5n)
    timeline.end('bergen', 9n)
    const refused = timeline.planUndo(superseded)
    expect(refusalOf(refused, timeline)).toEqual(['UNDO_CONFLICT', 'bergen'])
    expect(refused).toMatchObject({ because: 'changed' })
  })

  it('is refused with what was added since where something would return', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const ended = timeline.end('oslo', 5n)
    timeline.assert('bergen', 7n)
    const refused = timeline.planUndo(ended)
    expect(refusalOf(refused, timeline)).toEqual(['UNDO_CONFLICT', 'bergen'])
    expect(refused).toMatchObject({ because: 'overlapped' })
  })

  it('is not hindered by other values of a many-valued predicate, but by the same fact', () => {
    const timeline = new Timeline(MANY)
    timeline.assert('tea', 0n)
    const retracted = timeline.retract('tea')
    timeline.assert('coffee', 0n)
    expect(timeline.planUndo(retracted).kind).toBe('change')
    timeline.assert('tea', 3n)
    expect(refusalOf(timeline.planUndo(retracted), timeline)).toEqual(['UNDO_CONFLICT', 'tea'])
  })

  it('is refused when what would return was forgotten or has no support', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const retracted = timeline.retract('oslo')
    const gone = retracted.close.map(({ versionId }) => versionId)
    const refused = timeline.planUndo(retracted, gone)
    expect(refusalOf(refused, timeline)).toEqual(['UNDO_CONFLICT', 'oslo'])
    expect(refused).toMatchObject({ because: 'gone' })
  })

  it('is refused a second time while the first stands', () => {
    const timeline = new Timeline()
    const asserted = timeline.assert('oslo', 0n)
    const retracted = timeline.retract('oslo')
    timeline.undo(retracted)
    expect(timeline.planUndo(retracted)).toMatchObject({ because: 'overlapped' })
    timeline.undo(asserted)
    expect(timeline.planUndo(asserted)).toMatchObject({ because: 'changed' })
  })

  it('of a change that only added support changes nothing', () => {
    const timeline = new Timeline()
    timeline.assert('oslo', 0n)
    const supported = timeline.assert('oslo', 3n)
    expect(timeline.undo(supported)).toMatchObject({ close: [], add: [] })
  })

  it('takes back a change of several subjects and predicates as one', () => {
    const undone = 'merge' as GraphChangeId
    const history = [
      moved('a', 'lost', 'likes', { closedBy: undone }),
      moved('b', 'kept', 'likes', { addedBy: undone }),
      moved('c', 'lost', 'lives in', { closedBy: undone }),
      moved('d', 'kept', 'lives in', { addedBy: undone }),
      moved('e', 'kept', 'works at', {}),
    ]
    const ruleOf = (predicate: string) => (predicate === 'likes' ? MANY : ONE)
    const stamp = { changeId: 'undo' as GraphChangeId, recordedAt: 300n, newId: counter() }
    const change = planUndo({ undone, history, ruleOf, gone: new Set() }, stamp)
    if (change.kind === 'refusal') throw new Error(change.code)
    expect(change.close.map(({ versionId }) => versionId)).toEqual(['b', 'd'])
    const now = applyChange(history, change).filter(({ recorded }) => recorded.end === OPEN_END)
    expect(
      now.map((version) => `${version.subjectId} ${version.predicate} ${show(version)}`),
    ).toEqual(['kept works at x [0, open)', 'lost likes x [0, open)', 'lost lives in x [0, open)'])
  })
})

function moved(
  id: string,
  subject: string,
  predicate: string,
  { addedBy, closedBy }: { addedBy?: GraphChangeId; closedBy?: GraphChangeId },
): FactVersion {
  return {
    versionId: id as FactVersionId,
    factId: `fact-${id}` as FactId,
    subjectId: subject as EntityId,
    predicate,
    valueKey: 'x',
    valid: { start: 0n, end: OPEN_END },
    recorded: {
      start: addedBy === undefined ? 100n : 200n,
      end: closedBy === undefined ? OPEN_END : 200n,
    },
    addedBy: addedBy ?? ('first' as GraphChangeId),
    lineage: { reason: 'asserted', from: [] },
    ...(closedBy !== undefined && { closed: { by: closedBy, reason: 'retracted' } }),
  }
}

function counter(): () => string {
  let last = 0
  return () => `new-${++last}`
}
