import { type Micros, OPEN_END, overlaps } from '../../../core/interval.ts'
import { isCurrent, toVersionRef } from '../fact-version.ts'
import { type ChangeSet, type Refusal, type Slot, type Stamp } from './change.ts'
import { finishDraft, placeValue } from './draft.ts'
import { checkRange, refuse } from './refuse.ts'
import { succeed } from './supersede.ts'

export interface AssertFact {
  readonly op: 'assert'
  readonly valueKey: string
  readonly validAt: Micros
  /** Open when absent. */
  readonly invalidAt?: Micros
}

/**
 * A value holds over a range (Snodgrass's sequenced insertion). Where the same value is held already
 * it is supported; where another value of a single-valued predicate is held, the predicate's conflict
 * policy decides about the whole assertion, never about a part of it:
 *
 * - `refuse`: nothing happens, and the refusal names what is in the way
 * - `contradict`: nothing is added; the evidence contradicts what is in the way
 * - `supersede`: it becomes a supersede at its start, which an absent end lets reach to the next value
 */
export function planAssert(slot: Slot, fact: AssertFact, stamp: Stamp): ChangeSet | Refusal {
  const { valueKey } = fact
  const { history, rule } = slot
  const range = { start: fact.validAt, end: fact.invalidAt ?? OPEN_END }
  const refusal = checkRange(range)
  if (refusal !== undefined) return refusal
  const meeting = history.filter((version) => isCurrent(version) && overlaps(version.valid, range))
  const rivals =
    rule.cardinality === 'one' ? meeting.filter((version) => version.valueKey !== valueKey) : []
  if (rivals.length === 0) {
    const placement = { valueKey, ranges: [range], reason: 'asserted', replaced: [] } as const
    return finishDraft(history, stamp, placeValue(slot, stamp, placement))
  }
  switch (rule.onConflict) {
    case 'refuse':
      return refuse('FACT_CONFLICT', rivals)
    case 'contradict':
      return finishDraft(history, stamp, { contradicts: rivals.map(toVersionRef) })
    case 'supersede':
      return succeed(slot, fact, stamp)
  }
}
