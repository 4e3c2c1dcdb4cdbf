import type { Instant } from '../../core/instant.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { removeItem } from '../../items/index.ts'
import { toGone } from './rows.ts'
import { expireEntries } from './sql/expire-entries.ts'

/** Entries removed by one statement. */
const CHUNK = 500

export interface Expired {
  readonly entries: number
  readonly bytes: number
  /** False when there may be more. */
  readonly isDone: boolean
}

/**
 * Removes some of what had expired in a scope at `at`, except the entries of the keys `keep`. Only
 * under the scope's lock; the caller takes the bytes off its usage.
 */
export async function expireSome(
  tx: Transaction,
  scope: ScopeRef,
  at: Instant,
  keep: readonly string[] = [],
): Promise<Expired> {
  const gone = (await tx.query(expireEntries(scope, at, keep, CHUNK))).map(toGone)
  await removeItem(
    tx,
    scope,
    gone.map(({ entryId }) => entryId),
  )
  const bytes = gone.reduce((sum, entry) => sum + entry.bytes, 0)
  return { entries: gone.length, bytes, isDone: gone.length < CHUNK }
}

/** The same for all that had expired; returns the bytes it held. */
export async function expireAll(
  tx: Transaction,
  scope: ScopeRef,
  at: Instant,
  keep: readonly string[],
): Promise<number> {
  let bytes = 0
  for (;;) {
    const some = await expireSome(tx, scope, at, keep)
    bytes += some.bytes
    if (some.isDone) return bytes
  }
}
