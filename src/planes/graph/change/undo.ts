import { type FactVersionId, type GraphChangeId } from '../../../core/ids.ts'
import { overlaps } from '../../../core/interval.ts'
import { type FactVersion, isCurrent } from '../fact-version.ts'
import {
  type ChangeSet,
  type PredicateRule,
  type Refusal,
  type Stamp,
  type UndoObstacle,
} from './change.ts'
import { carryOver, finishDraft } from './draft.ts'
import { refuse } from './refuse.ts'

export interface UndoChange {
  readonly undone: GraphChangeId
  /** All versions of every subject and predicate that the change touched. */
  readonly history: readonly FactVersion[]
  readonly ruleOf: (predicate: string) => PredicateRule
  /** Versions that cannot return: forgotten, or without live support. */
  readonly gone: ReadonlySet<FactVersionId>
}

/**
 * Takes a change back by a new one: closes what it added and adds again, as new versions, what it
 * closed. Recorded history keeps both. It is possible while the change is in force: each version it
 * added stands (itself or, after undos in between, as it was restored), and nothing stands in the way
 * of what would return. An undo is a change and can be undone.
 */
export function planUndo(undo: UndoChange, stamp: Stamp): ChangeSet | Refusal {
  const { undone, history, gone } = undo
  const added = history.filter(({ addedBy }) => addedBy === undone)
  const returning = history.filter(({ closed }) => closed?.by === undone)
  const standingFor = findStanding(history)
  const changed = added.filter((version) => standingFor(version) === undefined)
  const standing = added.flatMap((version) => standingFor(version) ?? [])
  const lost = returning.filter(({ versionId }) => gone.has(versionId))
  const refusal =
    refuseAny(changed, 'changed') ??
    refuseAny(inTheWay(returning, standing, undo), 'overlapped') ??
    refuseAny(lost, 'gone')
  if (refusal !== undefined) return refusal
  return finishDraft(history, stamp, {
    close: { versions: standing, reason: 'undone' },
    add: returning.map((version) => carryOver(version, version.valid, 'restored', stamp)),
  })
}

/**
 * Finds the current version that is a given one: that itself, or one of the same original. A version
 * and what undos restored it as say the same over the same range, so at most one of them is current.
 */
function findStanding(
  history: readonly FactVersion[],
): (version: FactVersion) => FactVersion | undefined {
  const byId = new Map(history.map((version) => [version.versionId, version]))
  const originalOf = ({ versionId, lineage }: FactVersion): FactVersionId => {
    const before = lineage.reason === 'restored' ? byId.get(lineage.from[0]) : undefined
    return before === undefined ? versionId : originalOf(before)
  }
  const current = new Map(
    history.filter(isCurrent).map((version) => [originalOf(version), version]),
  )
  return (version) => current.get(originalOf(version))
}

/** The current versions that stay and leave no room for what would return. */
function inTheWay(
  returning: readonly FactVersion[],
  standing: readonly FactVersion[],
  { history, ruleOf }: UndoChange,
): FactVersion[] {
  return history.filter(
    (version) =>
      isCurrent(version) &&
      !standing.includes(version) &&
      returning.some((other) => collide(version, other, ruleOf(version.predicate))),
  )
}

/** Whether two versions cannot both be current: the exclusion that the registry also enforces. */
function collide(a: FactVersion, b: FactVersion, { cardinality }: PredicateRule): boolean {
  const isSameSlot = a.subjectId === b.subjectId && a.predicate === b.predicate
  const isExclusive = cardinality === 'one' || a.factId === b.factId
  return isSameSlot && isExclusive && overlaps(a.valid, b.valid)
}

function refuseAny(versions: readonly FactVersion[], because: UndoObstacle): Refusal | undefined {
  return versions.length > 0 ? refuse('UNDO_CONFLICT', versions, because) : undefined
}
