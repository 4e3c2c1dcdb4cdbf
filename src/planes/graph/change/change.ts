import { type ErrorCode, HeddleError } from '../../../core/errors.ts'
import { type EntityId, type GraphChangeId, type NewId } from '../../../core/ids.ts'
import { type Micros } from '../../../core/interval.ts'
import { type CloseReason, type FactVersion, type VersionRef } from '../fact-version.ts'

/**
 * One subject and predicate of one scope: the unit in which values can collide. `history` holds its
 * versions, current and past.
 */
export interface Slot {
  readonly subjectId: EntityId
  readonly predicate: string
  readonly rule: PredicateRule
  readonly history: readonly FactVersion[]
}

/** What the ontology declares of a predicate. */
export interface PredicateRule {
  /** `one`: at every moment of valid time at most one value holds. */
  readonly cardinality: 'one' | 'many'
  /** What an assertion does that collides with another value of a single-valued predicate. */
  readonly onConflict: 'refuse' | 'supersede' | 'contradict'
}

/** What a change is given beside its operation. */
export interface Stamp {
  readonly changeId: GraphChangeId
  /** The one instant at which recorded time is closed and opened. */
  readonly recordedAt: Micros
  readonly newId: NewId
}

/**
 * What a change does, as a value: every `close` ends its version's recorded time at `recordedAt`,
 * every `add` starts there. With neither, the change is at most about evidence.
 */
export interface ChangeSet {
  readonly kind: 'change'
  readonly changeId: GraphChangeId
  readonly recordedAt: Micros
  readonly close: readonly Closing[]
  readonly add: readonly FactVersion[]
  /** Current versions that held the given value already: the change's evidence supports them too. */
  readonly supports: readonly VersionRef[]
  /** Current versions with another value, which the change's evidence contradicts and leaves as they are. */
  readonly contradicts: readonly VersionRef[]
}

export interface Closing extends VersionRef {
  readonly reason: CloseReason
}

/** Why nothing is changed, and because of which versions. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly code: RefusalCode
  readonly versions: readonly VersionRef[]
  /** For `UNDO_CONFLICT`: which of its conditions failed. */
  readonly because?: UndoObstacle
}

export type RefusalCode = Extract<
  ErrorCode,
  | 'NOT_FOUND'
  | 'FACT_CONFLICT'
  | 'FACT_NOT_HELD'
  | 'FACT_NOT_NAMED'
  | 'RANGE_EMPTY'
  | 'RANGE_REVERSED'
  | 'VERSION_CHANGED'
  | 'SUPERSEDE_BEYOND_NEXT'
  | 'UNDO_CONFLICT'
  | 'RECORDED_TIME_FUTURE'
  | 'RECORDED_TIME_TOO_EARLY'
>

/** `changed`: an added version is closed; `overlapped`: another stands in the way; `gone`: forgotten or without support. */
export type UndoObstacle = 'changed' | 'overlapped' | 'gone'

/** The refusal as the error that every surface reports. */
export function toRefusalError({ code, versions, because }: Refusal): HeddleError {
  const facts = [...new Set(versions.map(({ factId }) => factId))]
  return new HeddleError(code, {
    details: {
      fact_ids: facts,
      version_ids: versions.map(({ versionId }) => versionId),
      ...(because !== undefined && { because }),
    },
  })
}
