import { type AssertFact, planAssert } from './change/assert.ts'
import { type ChangeSet, type Refusal, type Slot, type Stamp } from './change/change.ts'
import { type CorrectFact, planCorrect } from './change/correct.ts'
import { type EndFact, planEnd } from './change/end.ts'
import { planRetract, type RetractFact } from './change/retract.ts'
import { planSupersede, type SupersedeFact } from './change/supersede.ts'
import { type FactVersion } from './fact-version.ts'

export { type PredicateRule, type Slot, type Stamp } from './change/change.ts'
export { type ChangeSet, type Refusal, toRefusalError } from './change/change.ts'
export { checkGivenRecordedTime, nextRecordedTime } from './change/recorded-time.ts'
export { planUndo } from './change/undo.ts'

/** A change of the values of one subject and predicate; `planUndo` is the other kind of change. */
export type FactChange = AssertFact | SupersedeFact | CorrectFact | EndFact | RetractFact

/**
 * Computes what a change does to the versions of one subject and predicate, or why it does nothing.
 * Pure: the caller holds the subject's lock, has read the history under it and stamps the change.
 * Versions of other subjects and predicates are not looked at, so the history may be a whole
 * subject's.
 *
 * The algebra is the bitemporal one of Snodgrass, "Developing Time-Oriented Database Applications in
 * SQL" (chapter 10): a modification of valid time never updates a row in place; it ends the row's
 * recorded time, and what is left of its valid time is recorded anew beside what takes its place.
 */
export function planChange(slot: Slot, change: FactChange, stamp: Stamp): ChangeSet | Refusal {
  const own = { ...slot, history: slot.history.filter((version) => isOf(slot, version)) }
  switch (change.op) {
    case 'assert':
      return planAssert(own, change, stamp)
    case 'supersede':
      return planSupersede(own, change, stamp)
    case 'correct':
      return planCorrect(own, change, stamp)
    case 'end':
      return planEnd(own, change, stamp)
    case 'retract':
      return planRetract(own, change, stamp)
  }
}

function isOf({ subjectId, predicate }: Slot, version: FactVersion): boolean {
  return version.subjectId === subjectId && version.predicate === predicate
}

/**
 * The versions after a change: the meaning of a change set, which every store has to agree with.
 * Only the end of recorded time of what is closed differs from before.
 */
export function applyChange(
  versions: readonly FactVersion[],
  { changeId, recordedAt, close, add }: ChangeSet,
): FactVersion[] {
  const reasons = new Map(close.map(({ versionId, reason }) => [versionId, reason]))
  const kept = versions.map((version) => {
    const reason = reasons.get(version.versionId)
    if (reason === undefined) return version
    const recorded = { start: version.recorded.start, end: recordedAt }
    return { ...version, recorded, closed: { by: changeId, reason } }
  })
  return [...kept, ...add]
}
