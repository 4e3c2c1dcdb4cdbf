import { type FactId, type FactVersionId } from '../../../core/ids.ts'
import { type Interval, OPEN_END, overlaps, subtract } from '../../../core/interval.ts'
import {
  type CloseReason,
  type FactVersion,
  isCurrent,
  type Lineage,
  toVersionRef,
  type VersionRef,
} from '../fact-version.ts'
import { type ChangeSet, type Closing, type Refusal, type Slot, type Stamp } from './change.ts'
import { checkRecordedTime } from './recorded-time.ts'

/** The parts of a change set before its recorded time was checked; what is left out is empty. */
export interface Draft {
  readonly close?: { readonly versions: readonly FactVersion[]; readonly reason: CloseReason }
  readonly add?: readonly FactVersion[]
  readonly supports?: readonly VersionRef[]
  readonly contradicts?: readonly VersionRef[]
}

/** Makes the change set of a draft, unless its recorded time does not fit what is recorded. */
export function finishDraft(
  history: readonly FactVersion[],
  stamp: Stamp,
  { close, add = [], supports = [], contradicts = [] }: Draft,
): ChangeSet | Refusal {
  const { changeId, recordedAt } = stamp
  const refusal = checkRecordedTime(recordedAt, history, close?.versions ?? [])
  if (refusal !== undefined) return refusal
  return {
    kind: 'change',
    changeId,
    recordedAt,
    close: closings(close),
    add,
    supports,
    contradicts,
  }
}

function closings(close: Draft['close']): Closing[] {
  if (close === undefined) return []
  return close.versions.map((version) => ({ ...toVersionRef(version), reason: close.reason }))
}

/** The same statement over another range, as a version of its own. */
export function carryOver(
  version: FactVersion,
  valid: Interval,
  reason: 'remainder' | 'ended' | 'restored',
  stamp: Stamp,
): FactVersion {
  const { factId, subjectId, predicate, valueKey, versionId } = version
  const lineage = { reason, from: [versionId] } as const
  return addedVersion({ factId, subjectId, predicate, valueKey, valid, lineage }, stamp)
}

/** A value that is to hold over some ranges. */
export interface Placement {
  readonly valueKey: string
  readonly ranges: readonly Interval[]
  readonly reason: 'asserted' | 'successor' | 'correction'
  /** The versions that the change closes for it. */
  readonly replaced: readonly FactVersion[]
}

/**
 * Lets a value hold over ranges: what a current version of that value holds already is only
 * supported, the rest becomes a version per uncovered stretch. Versions are never joined, so that two
 * periods stay two.
 */
export function placeValue(
  slot: Slot,
  stamp: Stamp,
  { valueKey, ranges, reason, replaced }: Placement,
): { add: FactVersion[]; supports: VersionRef[] } {
  const { subjectId, predicate, history } = slot
  const factId = factIdOf(slot, valueKey, stamp)
  const standing = history.filter(
    (version) => isCurrent(version) && version.factId === factId && !replaced.includes(version),
  )
  const held = standing.map(({ valid }) => valid)
  const free = ranges.flatMap((range) => subtract(range, held))
  const supported = standing.filter(({ valid }) => ranges.some((range) => overlaps(range, valid)))
  const add = free.map((valid) => {
    const from = replaced.filter((version) => overlaps(version.valid, valid))
    const lineage: Lineage = { reason, from: from.map(({ versionId }) => versionId) }
    return addedVersion({ factId, subjectId, predicate, valueKey, valid, lineage }, stamp)
  })
  return { add, supports: supported.map(toVersionRef) }
}

/** A fact id names one subject, predicate and value for good, also after a retraction. */
function factIdOf({ history }: Slot, valueKey: string, { newId }: Stamp): FactId {
  return history.find((version) => version.valueKey === valueKey)?.factId ?? (newId() as FactId)
}

function addedVersion(
  version: Omit<FactVersion, 'versionId' | 'recorded' | 'addedBy' | 'closed'>,
  { changeId, recordedAt, newId }: Stamp,
): FactVersion {
  return {
    ...version,
    versionId: newId() as FactVersionId,
    recorded: { start: recordedAt, end: OPEN_END },
    addedBy: changeId,
  }
}
