import type { CheckedCandidate } from './check-candidates.ts'

/** What an answer may hold. */
export interface Budget {
  readonly topK: number
  /** Of the texts of all hits together; absent: no limit. */
  readonly tokens?: number | undefined
}

export interface Pack {
  readonly hits: readonly CheckedCandidate[]
  readonly tokens: number
  /** True when the token budget left out what `topK` had room for. */
  readonly isTruncated: boolean
}

/**
 * Takes the best candidates that fit, in order, and stops at the first that does not: a smaller budget
 * gives the beginning of the same answer.
 */
export function packHits(
  candidates: readonly CheckedCandidate[],
  budget: Budget,
  count: (text: string) => number,
): Pack {
  const wanted = candidates.slice(0, budget.topK)
  const hits: CheckedCandidate[] = []
  let tokens = 0
  for (const candidate of wanted) {
    const added = count(candidate.item.text)
    if (budget.tokens !== undefined && tokens + added > budget.tokens) break
    hits.push(candidate)
    tokens += added
  }
  return { hits, tokens, isTruncated: hits.length < wanted.length }
}
