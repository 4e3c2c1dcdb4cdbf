import {
  intersect,
  type Interval,
  type Micros,
  OPEN_END,
  subtract,
  unite,
} from '../../../core/interval.ts'
import { type FactVersion } from '../fact-version.ts'
import { type Address, findMet, isRefusal } from './acted-on.ts'
import { type ChangeSet, type Refusal, type Slot, type Stamp } from './change.ts'
import { carryOver, finishDraft, placeValue } from './draft.ts'
import { checkRange, refuse } from './refuse.ts'

export interface CorrectFact extends Address {
  readonly op: 'correct'
  readonly valueKey: string
  readonly validAt: Micros
  /** Open when absent. */
  readonly invalidAt?: Micros
  /** Whether the value is also to hold where nothing was held; false when absent. */
  readonly fill?: boolean
}

/**
 * What was held over a range was wrong; put the right value there (Snodgrass's sequenced update, the
 * `FOR PORTION OF` of SQL:2011 and XTDB). Outside the range everything stays as it is, also where
 * the range cuts a version in two. What has the right value already is supported and not closed.
 */
export function planCorrect(slot: Slot, fact: CorrectFact, stamp: Stamp): ChangeSet | Refusal {
  const { valueKey, fill = false } = fact
  const range = { start: fact.validAt, end: fact.invalidAt ?? OPEN_END }
  const refusal = checkRange(range)
  if (refusal !== undefined) return refusal
  const met = findMet(slot, fact, range)
  if (isRefusal(met)) return met
  if (met.length === 0 && !fill) return refuse('FACT_NOT_HELD')

  const wrong = met.filter((version) => version.valueKey !== valueKey)
  const ranges = fill ? [range] : heldWithin(range, met)
  const placement = { valueKey, ranges, reason: 'correction', replaced: wrong } as const
  const placed = placeValue(slot, stamp, placement)
  return finishDraft(slot.history, stamp, {
    close: { versions: wrong, reason: 'corrected' },
    add: [...wrong.flatMap((version) => remaindersOf(version, range, stamp)), ...placed.add],
    supports: placed.supports,
  })
}

function heldWithin(range: Interval, met: readonly FactVersion[]): Interval[] {
  return unite(met.flatMap(({ valid }) => intersect(valid, range) ?? []))
}

function remaindersOf(version: FactVersion, range: Interval, stamp: Stamp): FactVersion[] {
  const outside = subtract(version.valid, [range])
  return outside.map((valid) => carryOver(version, valid, 'remainder', stamp))
}
