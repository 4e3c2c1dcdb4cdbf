import {
  type EntityId,
  type FactId,
  type FactVersionId,
  type GraphChangeId,
} from '../../core/ids.ts'
import { type Interval, OPEN_END } from '../../core/interval.ts'

/**
 * One rectangle of a fact: it was believed during `recorded` that the fact holds during `valid`.
 * Nothing of a version changes after it was added, except that its recorded time is closed once
 * (the tracking of two time dimensions of Jensen and Snodgrass, with tuple timestamps).
 *
 * The value itself is not here: the algebra only asks whether two values are equal.
 */
export interface FactVersion {
  readonly versionId: FactVersionId
  /** Names one subject, predicate and value. */
  readonly factId: FactId
  readonly subjectId: EntityId
  readonly predicate: string
  /** Equal for equal values: `valueKey`, or a hash of it. */
  readonly valueKey: string
  readonly valid: Interval
  readonly recorded: Interval
  readonly addedBy: GraphChangeId
  readonly lineage: Lineage
  /** Absent while the version is current. */
  readonly closed?: { readonly by: GraphChangeId; readonly reason: CloseReason }
}

/**
 * Where a version comes from. `from` names the versions that it stands for, which its change closed:
 *
 * - `asserted`: new, or the part of an assertion that was not held yet; from nothing
 * - `successor`: the next value after the one it superseded
 * - `correction`: the right value in place of wrong ones; from nothing where a gap was filled
 * - `remainder`: what a supersede or a correction left of the version before
 * - `ended`: the version before, up to its new end
 * - `restored`: the version before, brought back by an undo
 *
 * The first three have the contents that the change gave; the others those of `from[0]`.
 */
export type Lineage =
  | {
      readonly reason: 'asserted' | 'successor' | 'correction'
      readonly from: readonly FactVersionId[]
    }
  | {
      readonly reason: 'remainder' | 'ended' | 'restored'
      readonly from: readonly [FactVersionId]
    }

/** Why recorded time was closed. `support_lost`: retracted because its last live evidence is gone. */
export type CloseReason =
  'superseded' | 'corrected' | 'ended' | 'retracted' | 'support_lost' | 'undone'

/** Names one version, and with it its fact. */
export interface VersionRef {
  readonly factId: FactId
  readonly versionId: FactVersionId
}

export function toVersionRef({ factId, versionId }: FactVersion): VersionRef {
  return { factId, versionId }
}

/** Whether a version is believed now, whenever it holds in the world. */
export function isCurrent(version: FactVersion): boolean {
  return version.recorded.end === OPEN_END
}
