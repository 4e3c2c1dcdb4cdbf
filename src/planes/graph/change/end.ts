import { type FactId, type FactVersionId } from '../../../core/ids.ts'
import { contains, type Micros } from '../../../core/interval.ts'
import { findOwn, isRefusal } from './acted-on.ts'
import { type ChangeSet, type Refusal, type Slot, type Stamp } from './change.ts'
import { carryOver, finishDraft } from './draft.ts'
import { refuse } from './refuse.ts'

export interface EndFact {
  readonly op: 'end'
  readonly factId: FactId
  /** The first moment at which it does not hold any more. */
  readonly invalidAt: Micros
  readonly ifVersion?: FactVersionId
}

/**
 * A fact stops holding and nothing takes its place (Snodgrass's sequenced deletion from a moment on).
 * It acts on the addressed fact only: the end of one value says nothing of a successor's. To end a
 * fact where it starts would leave nothing of it, which is a retraction and has to be called so.
 */
export function planEnd(slot: Slot, fact: EndFact, stamp: Stamp): ChangeSet | Refusal {
  const own = findOwn(slot, fact.factId, fact.ifVersion)
  if (isRefusal(own)) return own
  const held = own.find(({ valid }) => contains(valid, fact.invalidAt))
  if (held === undefined) return refuse('FACT_NOT_HELD', own)
  const { start } = held.valid
  if (start === fact.invalidAt) return refuse('RANGE_EMPTY', [held])
  return finishDraft(slot.history, stamp, {
    close: { versions: [held], reason: 'ended' },
    add: [carryOver(held, { start, end: fact.invalidAt }, 'ended', stamp)],
  })
}
