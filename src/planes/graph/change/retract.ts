import { type FactId, type FactVersionId } from '../../../core/ids.ts'
import { findOwn, isRefusal } from './acted-on.ts'
import { type ChangeSet, type Refusal, type Slot, type Stamp } from './change.ts'
import { finishDraft } from './draft.ts'
import { refuse } from './refuse.ts'

export interface RetractFact {
  readonly op: 'retract'
  readonly factId: FactId
  /** Retracts that version alone; otherwise all current versions of the fact are. */
  readonly ifVersion?: FactVersionId
  /** `retracted` when absent. */
  readonly reason?: 'retracted' | 'support_lost'
}

/** A fact is no longer believed, at any valid time: recorded time is closed and nothing is added. */
export function planRetract(slot: Slot, fact: RetractFact, stamp: Stamp): ChangeSet | Refusal {
  const { factId, ifVersion, reason = 'retracted' } = fact
  const own = findOwn(slot, factId, ifVersion)
  if (isRefusal(own)) return own
  if (own.length === 0) return refuse('FACT_NOT_HELD')
  return finishDraft(slot.history, stamp, { close: { versions: own, reason } })
}
