import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeRef, ScopeSet } from '../identity/scope.ts'

/** The kinds of record that `list` pages through, in its order. */
export const LISTED_KINDS = ['source', 'chunk', 'turn', 'kv', 'evidence'] as const

/** The kinds of record that `get` finds by id; a receipt is of something forgotten. */
export const RECORD_KINDS = [...LISTED_KINDS, 'receipt'] as const

type RecordKind = (typeof RECORD_KINDS)[number]
type ListedKind = (typeof LISTED_KINDS)[number]

/** One record as `get` shows it: what all kinds share, and the kind's own fields under `record`. */
export interface RecordView {
  readonly id: string
  readonly kind: RecordKind
  readonly scopeId: string
  readonly record: Readonly<Record<string, unknown>>
}

/** One line of `list`. */
export interface RecordSummary {
  readonly id: string
  readonly kind: ListedKind
  readonly scopeId: string
  /** Key, path or heading: what a person would call it; never more than 200 characters. */
  readonly title: string
  readonly revision: number
  readonly insertedAt: string
}

export interface FindOptions {
  /** Tokens of what stands around a record in its document or conversation; 0 for none. */
  readonly budgetTokens: number
  /** Also what was deleted and not forgotten: who did it and when, without contents. */
  readonly includeDeleted: boolean
}

/** How a room lets records of one kind be found by id. */
export interface RecordFinder {
  readonly kind: RecordKind
  /** The record of that id in those scopes; one elsewhere is as if it were not there. */
  find(
    tx: Transaction,
    read: ScopeSet,
    id: string,
    options: FindOptions,
  ): Promise<RecordView | undefined>
}

/** How a room lets its live records of one kind be found, paged by id, and erased. */
export interface RecordSource extends RecordFinder {
  readonly kind: ListedKind
  /** At most `limit` live records with an id above `afterId`, ordered by id. */
  page(
    tx: Transaction,
    read: ScopeSet,
    afterId: string | undefined,
    limit: number,
  ): Promise<readonly RecordSummary[]>
  count(tx: Transaction, read: ScopeSet): Promise<number>
  /**
   * Erases the content of the record of that id in that scope for good, also of a deleted one, inside the
   * transaction; undefined when it is not there.
   *
   * @throws HeddleError `NOT_FORGETTABLE` when it can only be forgotten with another record.
   */
  forget(tx: Transaction, scope: ScopeRef, id: string): Promise<ForgottenRecord | undefined>
}

/** What was erased with a record; a receipt is made of it. */
export interface ForgottenRecord {
  /** The record and what went with it. */
  readonly recordIds: readonly string[]
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
  /** Of the content, under the tenant's key, as hex. */
  readonly hash: string
}
