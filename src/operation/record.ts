import type { Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'

/** The kinds of record that `get` finds by id and `list` pages through, in the order of `list`. */
export const RECORD_KINDS = ['source', 'chunk', 'turn', 'kv'] as const

type RecordKind = (typeof RECORD_KINDS)[number]

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
  readonly kind: RecordKind
  readonly scopeId: string
  /** Key, path or heading: what a person would call it; never more than 200 characters. */
  readonly title: string
  readonly revision: number
  readonly insertedAt: string
}

/** How a room lets its live records of one kind be found by id and paged by id. */
export interface RecordSource {
  readonly kind: RecordKind
  /** The record of that id in those scopes; one elsewhere is as if it were not there. */
  find(tx: Transaction, read: ScopeSet, id: string): Promise<RecordView | undefined>
  /** At most `limit` live records with an id above `afterId`, ordered by id. */
  page(
    tx: Transaction,
    read: ScopeSet,
    afterId: string | undefined,
    limit: number,
  ): Promise<readonly RecordSummary[]>
  count(tx: Transaction, read: ScopeSet): Promise<number>
}
