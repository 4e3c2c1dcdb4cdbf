import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'

/** Counting stops there: a word that is in so many items is common, however many more there are. */
const TERM_CAP = 20_000
const ITEM_CAP = 100_000

/** How many items there are, their mean length, and how many hold each word. */
export function countTerms(scopes: ScopeSet, terms: readonly string[]): Statement {
  return {
    name: 'item.count_terms',
    text: `
      select term, items, mean_words from heddle.count_item_terms($1, $2, $3, $4, $5)`,
    values: [scopes.tenantIds, scopes.scopeIds, terms, TERM_CAP, ITEM_CAP],
  }
}
