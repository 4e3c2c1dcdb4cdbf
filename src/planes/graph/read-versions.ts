import { type FactVersionId } from '../../core/ids.ts'
import { compare, contains, type Micros } from '../../core/interval.ts'
import { type FactVersion } from './fact-version.ts'

/** A point of the plane of both time axes. */
export interface TimePoint {
  /** On valid time: when it holds in the world. */
  readonly asOf: Micros
  /** On recorded time: when it was believed. */
  readonly knownAt: Micros
}

/** What was believed at `knownAt` about the world at `asOf`: Snodgrass's bitemporal time slice. */
export function versionsAt(
  versions: readonly FactVersion[],
  { asOf, knownAt }: TimePoint,
): FactVersion[] {
  return versions.filter(
    ({ valid, recorded }) => contains(valid, asOf) && contains(recorded, knownAt),
  )
}

/** A version with its lineage both ways. */
export interface HistoryEntry {
  readonly version: FactVersion
  /** The versions that were added in its place when it was closed. */
  readonly into: readonly FactVersionId[]
}

/** All versions in the order in which they were recorded, those of one change by valid time. */
export function historyOf(versions: readonly FactVersion[]): HistoryEntry[] {
  const into = new Map<FactVersionId, FactVersionId[]>()
  const sorted = [...versions].sort(byRecordedThenValid)
  for (const { versionId, lineage } of sorted) {
    for (const from of lineage.from) into.set(from, [...(into.get(from) ?? []), versionId])
  }
  return sorted.map((version) => ({ version, into: into.get(version.versionId) ?? [] }))
}

function byRecordedThenValid(a: FactVersion, b: FactVersion): number {
  return (
    compare(a.recorded.start, b.recorded.start) ||
    compare(a.valid.start, b.valid.start) ||
    (a.versionId < b.versionId ? -1 : 1)
  )
}
