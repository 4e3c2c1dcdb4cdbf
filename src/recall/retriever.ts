import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'
import type { RecallFilters } from './filters.ts'
import type { RecallQuery } from './query.ts'

/** An item a retriever proposes; `score` is the retriever's own number and comparable only within its list. */
export interface Candidate {
  readonly recordId: string
  readonly score: number
}

/** What a retriever may use. It applies every filter before it cuts its list to `window`. */
export interface RetrieverContext {
  readonly query: RecallQuery
  readonly scopes: ScopeSet
  readonly filters: RecallFilters
  /** How many candidates enter fusion. */
  readonly window: number
  readonly signal: AbortSignal
  readonly readTransaction: <T>(fn: (tx: Transaction) => Promise<T>) => Promise<T>
  readonly note: (code: string, message: string) => void
}

/** A ranked list, best first, or why there is none. */
export type Retrieval =
  | { readonly ran: true; readonly candidates: readonly Candidate[] }
  | { readonly ran: false; readonly whyNot: string; readonly isDegraded: boolean }

/** One source of candidates. It is not believed: what it proposes is checked again from the stored rows. */
export interface Retriever {
  readonly name: string
  run(context: RetrieverContext): Promise<Retrieval>
}
