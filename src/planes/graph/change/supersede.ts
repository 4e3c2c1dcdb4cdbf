import { contains, type Interval, type Micros, OPEN_END } from '../../../core/interval.ts'
import { type FactVersion, isCurrent } from '../fact-version.ts'
import { type Address, findMet, isRefusal } from './acted-on.ts'
import { type ChangeSet, type Refusal, type Slot, type Stamp } from './change.ts'
import { carryOver, type Draft, finishDraft, placeValue } from './draft.ts'
import { checkRange, refuse } from './refuse.ts'

export interface SupersedeFact extends Address, NextValue {
  readonly op: 'supersede'
}

/** A value that holds from a moment on. */
export interface NextValue {
  readonly valueKey: string
  readonly validAt: Micros
  /** When absent, the value holds until the next one starts, or without end. */
  readonly invalidAt?: Micros
}

/**
 * What was held was right until `validAt`; from then on the next value holds. What the old value held
 * after the end of the next one is not taken up again.
 */
export function planSupersede(slot: Slot, fact: SupersedeFact, stamp: Stamp): ChangeSet | Refusal {
  const { validAt, invalidAt } = fact
  const refusal = checkRange({ start: validAt, end: invalidAt ?? OPEN_END })
  if (refusal !== undefined) return refusal
  const met = findMet(slot, fact, { start: validAt, end: validAt + 1n })
  if (isRefusal(met)) return met
  const [held] = met
  return held === undefined ? refuse('FACT_NOT_HELD') : supersedeHeld(slot, held, fact, stamp)
}

/** For an assertion with the policy `supersede`, which may also start where nothing is held. */
export function succeed(slot: Slot, next: NextValue, stamp: Stamp): ChangeSet | Refusal {
  const held = slot.history.find(
    (version) => isCurrent(version) && contains(version.valid, next.validAt),
  )
  if (held !== undefined) return supersedeHeld(slot, held, next, stamp)
  const range = toRange(slot, undefined, next)
  if ('kind' in range) return range
  const { valueKey } = next
  const placement = { valueKey, ranges: [range], reason: 'asserted', replaced: [] } as const
  return finishDraft(slot.history, stamp, placeValue(slot, stamp, placement))
}

function supersedeHeld(
  slot: Slot,
  held: FactVersion,
  next: NextValue,
  stamp: Stamp,
): ChangeSet | Refusal {
  const range = toRange(slot, held, next)
  if ('kind' in range) return range
  const draft =
    held.valueKey === next.valueKey
      ? continueHeld(slot, held, range, stamp)
      : replaceHeld(slot, held, { ...range, valueKey: next.valueKey }, stamp)
  return finishDraft(slot.history, stamp, draft)
}

/** From the start of the next value to its given end, else to the start of the one after it. */
function toRange(
  slot: Slot,
  held: FactVersion | undefined,
  { validAt, invalidAt }: NextValue,
): Interval | Refusal {
  const following = findFollowing(slot, held, validAt)
  const end = invalidAt ?? following?.valid.start ?? OPEN_END
  if (following !== undefined && slot.rule.cardinality === 'one' && end > following.valid.start) {
    return refuse('SUPERSEDE_BEYOND_NEXT', [following])
  }
  return { start: validAt, end }
}

/** The next current version: of the same fact where other values are no successors of this one. */
function findFollowing(
  { history, rule }: Slot,
  held: FactVersion | undefined,
  validAt: Micros,
): FactVersion | undefined {
  const isInLine = (version: FactVersion): boolean =>
    rule.cardinality === 'one' || version.factId === held?.factId
  return history
    .filter((version) => isCurrent(version) && isInLine(version) && version.valid.start > validAt)
    .reduce<FactVersion | undefined>(
      (first, version) =>
        first === undefined || version.valid.start < first.valid.start ? version : first,
      undefined,
    )
}

function replaceHeld(
  slot: Slot,
  held: FactVersion,
  { start, end, valueKey }: Interval & { valueKey: string },
  stamp: Stamp,
): Draft {
  const before = { start: held.valid.start, end: start }
  const remainder = before.start < before.end ? [carryOver(held, before, 'remainder', stamp)] : []
  const placement = { valueKey, ranges: [{ start, end }], reason: 'successor' } as const
  const placed = placeValue(slot, stamp, { ...placement, replaced: [held] })
  return {
    close: { versions: [held], reason: 'superseded' },
    add: [...remainder, ...placed.add],
    supports: placed.supports,
  }
}

/** A value that supersedes itself goes on: it is supported, and its end moves where that was said. */
function continueHeld(slot: Slot, held: FactVersion, range: Interval, stamp: Stamp): Draft {
  if (range.end < held.valid.end) {
    const until = { start: held.valid.start, end: range.end }
    const shortened = carryOver(held, until, 'ended', stamp)
    const { factId, versionId } = shortened
    return {
      close: { versions: [held], reason: 'ended' },
      add: [shortened],
      supports: [{ factId, versionId }],
    }
  }
  const { valueKey } = held
  return placeValue(slot, stamp, { valueKey, ranges: [range], reason: 'asserted', replaced: [] })
}
