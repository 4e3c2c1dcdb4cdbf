import { type FactId, type FactVersionId } from '../../../core/ids.ts'
import { type Interval, overlaps } from '../../../core/interval.ts'
import { type FactVersion, isCurrent } from '../fact-version.ts'
import { type Refusal, type Slot } from './change.ts'
import { refuse } from './refuse.ts'

/** What a caller says of the fact that a change is to act on. */
export interface Address {
  /** May be left out for a single-valued predicate, which has no choice. */
  readonly factId?: FactId
  /** The change acts on exactly that version, or is refused. */
  readonly ifVersion?: FactVersionId
}

export function isRefusal(found: readonly FactVersion[] | Refusal): found is Refusal {
  return 'kind' in found
}

/**
 * The current versions that a supersede or a correction of a range meets. For a single-valued
 * predicate those of every value: whatever is held there now stands for the addressed fact. For a
 * many-valued one those of the addressed fact, or of what took its place.
 */
export function findMet(
  slot: Slot,
  address: Address,
  range: Interval,
): readonly FactVersion[] | Refusal {
  const meeting = slot.history.filter(
    (version) => isCurrent(version) && overlaps(version.valid, range),
  )
  const refusal = checkAddress(slot, address)
  if (refusal !== undefined) return refusal
  const met = slot.rule.cardinality === 'one' ? meeting : standingFor(slot, address.factId, meeting)
  return checkVersion(met, address) ?? checkUnambiguous(met) ?? met
}

function checkAddress({ rule, history }: Slot, { factId }: Address): Refusal | undefined {
  if (factId === undefined) {
    return rule.cardinality === 'many' ? refuse('FACT_NOT_NAMED') : undefined
  }
  return history.some((version) => version.factId === factId) ? undefined : refuse('NOT_FOUND')
}

/** With a version named, it alone may be met. */
function checkVersion(met: readonly FactVersion[], { ifVersion }: Address): Refusal | undefined {
  if (ifVersion === undefined) return undefined
  const isAlone = met.length === 1 && met[0]?.versionId === ifVersion
  return isAlone ? undefined : refuse('VERSION_CHANGED', met)
}

/** Of two values that took the place of one at the same time neither is chosen for the caller. */
function checkUnambiguous(met: readonly FactVersion[]): Refusal | undefined {
  const crossing = met.filter((version) =>
    met.some((other) => other !== version && overlaps(other.valid, version.valid)),
  )
  return crossing.length > 0 ? refuse('VERSION_CHANGED', crossing) : undefined
}

function standingFor(
  { history }: Slot,
  factId: FactId | undefined,
  meeting: readonly FactVersion[],
): readonly FactVersion[] {
  const own = meeting.filter((version) => version.factId === factId)
  if (own.length > 0) return own
  const byId = new Map(history.map((version) => [version.versionId, version]))
  return meeting.filter((version) => descendsFrom(version, factId, byId))
}

/** Whether a version took the place of a fact, directly or through others in between. */
function descendsFrom(
  { lineage }: FactVersion,
  factId: FactId | undefined,
  byId: ReadonlyMap<FactVersionId, FactVersion>,
): boolean {
  const before = new Set(lineage.from)
  // A set that grows while it is walked: every ancestor is visited once.
  for (const id of before) byId.get(id)?.lineage.from.forEach((earlier) => before.add(earlier))
  return [...before].some((id) => byId.get(id)?.factId === factId)
}

/** The current versions of one fact, or of them the one that is named. */
export function findOwn(
  { history }: Slot,
  factId: FactId,
  ifVersion: FactVersionId | undefined,
): readonly FactVersion[] | Refusal {
  const all = history.filter((version) => version.factId === factId)
  if (all.length === 0) return refuse('NOT_FOUND')
  const own = all.filter(isCurrent)
  if (ifVersion === undefined) return own
  const named = own.filter(({ versionId }) => versionId === ifVersion)
  return named.length > 0 ? named : refuse('VERSION_CHANGED', own)
}
