import { hashText } from '../evidence/index.ts'
import { failedFilters, type FilterName, type RecallFilters } from './filters.ts'
import type { FusedCandidate } from './fusion.ts'
import type { StoredItem } from './stored-item.ts'

/** A candidate whose stored row meets every filter. */
export interface CheckedCandidate extends FusedCandidate {
  readonly item: StoredItem
}

/** Why candidates were dropped, by retriever. */
export interface CheckResult {
  readonly passed: readonly CheckedCandidate[]
  /** Filters that a candidate failed; `scopes` when its row is not readable. */
  readonly failed: ReadonlySet<FilterName | 'scopes'>
  /** Retrievers that proposed a candidate which failed, with how many. */
  readonly strays: ReadonlyMap<string, number>
  /** Candidates that expired or lost their quote between retrieval and now. */
  readonly unsupported: number
}

/**
 * Checks every candidate against its stored row, whatever its retriever claims: it must be readable, meet
 * each filter, not be expired, and its text must hash to what its source revision says.
 */
export function checkCandidates(
  candidates: readonly FusedCandidate[],
  items: ReadonlyMap<string, StoredItem>,
  filters: RecallFilters,
): CheckResult {
  const passed: CheckedCandidate[] = []
  const failed = new Set<FilterName | 'scopes'>()
  const strays = new Map<string, number>()
  let unsupported = 0
  for (const candidate of candidates) {
    const item = items.get(candidate.recordId)
    const faults = item === undefined ? (['scopes'] as const) : failedFilters(item, filters)
    if (faults.length > 0) {
      faults.forEach((name) => failed.add(name))
      for (const name of candidate.ranks.keys()) strays.set(name, (strays.get(name) ?? 0) + 1)
    } else if (item === undefined || item.isExpired || !isSupported(item)) {
      unsupported += 1
    } else {
      passed.push({ ...candidate, item })
    }
  }
  return { passed, failed, strays, unsupported }
}

/** Chunks and turns are only shown with a quote that is still what its source says. */
function isSupported({ kind, text, place }: StoredItem): boolean {
  if (kind !== 'chunk' && kind !== 'turn') return true
  return place !== undefined && place.hash === hashText(text)
}
