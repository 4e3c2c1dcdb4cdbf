import type { Row } from '../../engines/postgres/engine.ts'
import type { Retriever, RetrieverContext } from '../retriever.ts'
import { countTerms } from '../sql/count-terms.ts'
import { type RankingTerms, rankItems } from '../sql/rank-items.ts'

/** Items that the words which make candidates may have together; the rarest word always makes some. */
const SEED_ITEMS = 2000

/** Finds items by their words: BM25 with the statistics of the scopes that are read. */
export const lexicalRetriever: Retriever = {
  name: 'lexical',
  run: async (context) => {
    if (context.query.terms.length === 0) {
      return { ran: false, whyNot: 'the query has no words', isDegraded: false }
    }
    return { ran: true, candidates: await rank(context) }
  },
}

function rank({ query, scopes, filters, window, readTransaction, note }: RetrieverContext) {
  return readTransaction(async (tx) => {
    const counts = await tx.query(countTerms(scopes, query.terms))
    const plan = planRanking(counts)
    if (plan === undefined) return []
    if (plan.seeds.length < plan.terms.length) {
      note(
        'common_words_score_only',
        'Common words of the query rank hits but do not find any by themselves',
      )
    }
    const rows = await tx.query(rankItems(scopes, plan, filters, window))
    return rows.map((row) => ({
      recordId: row['record_id'] as string,
      score: row['score'] as number,
    }))
  })
}

interface TermCount {
  readonly term: string
  readonly items: number
}

/**
 * Weighs the words that occur at all and picks, from the rarest on, those whose items are candidates.
 * Undefined when none occurs.
 */
export function planRanking(counts: readonly Row[]): RankingTerms | undefined {
  const all = counts.find((row) => row['term'] === null)
  const items = (all?.['items'] as number | undefined) ?? 0
  const meanWords = (all?.['mean_words'] as number | undefined) ?? 0
  const found = counts
    .filter((row) => row['term'] !== null && (row['items'] as number) > 0)
    .map((row): TermCount => ({ term: row['term'] as string, items: row['items'] as number }))
    .sort((a, b) => a.items - b.items || (a.term < b.term ? -1 : 1))
  if (found.length === 0) return undefined
  return {
    seeds: pickSeeds(found).map(({ term }) => term),
    terms: found.map(({ term }) => term),
    idfs: found.map((count) => Math.log(1 + (items - count.items + 0.5) / (count.items + 0.5))),
    meanWords,
  }
}

function pickSeeds(rarestFirst: readonly TermCount[]): readonly TermCount[] {
  let total = 0
  return rarestFirst.filter(({ items }, index) => {
    total += items
    return index === 0 || total <= SEED_ITEMS
  })
}
