import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { removeItem } from '../../items/index.ts'
import type { ForgottenRecord } from '../../operation/record.ts'
import { toUsage } from './rows.ts'
import {
  eraseEntry,
  eraseHistory,
  raiseRevisionFloor,
  selectWhetherKnown,
} from './sql/erase-entry.ts'
import { lockUsage } from './sql/lock-usage.ts'
import { updateUsage } from './sql/update-usage.ts'

/**
 * Erases an entry with all its changes, also one that was deleted or has expired. A later entry of its key
 * goes on above its last revision. Undefined when it never was.
 */
export async function forgetEntry(
  tx: Transaction,
  scope: ScopeRef,
  entryId: string,
): Promise<ForgottenRecord | undefined> {
  if ((await tx.query(selectWhetherKnown(scope, entryId))).length === 0) return undefined
  const [locked] = await tx.query(lockUsage(scope, []))
  const usage = toUsage(locked)
  const [history] = await tx.query(eraseHistory(scope, entryId))
  const changes = history?.['changes'] as number
  if (changes === 0) return undefined
  const live = await tx.query(eraseEntry(scope, entryId))
  const held = live.reduce((sum, row) => sum + (row['bytes'] as number), 0)
  if (held > 0) await tx.execute(updateUsage(scope, usage.bytes - held))
  await tx.execute(raiseRevisionFloor(scope, Number(history?.['last'])))
  await removeItem(tx, scope, [entryId])
  return {
    recordIds: [entryId],
    counts: { kv_entry: live.length, kv_history: changes },
    hash: history?.['hash'] as string,
  }
}
