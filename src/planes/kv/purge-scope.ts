import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { removeItem } from '../../items/index.ts'
import { toEntryId } from './rows.ts'
import { purgeEntries } from './sql/purge-entries.ts'
import { purgeHistory } from './sql/purge-history.ts'
import { purgeUsage } from './sql/purge-usage.ts'

/** Removes everything the plane holds of a scope: entries, history, byte count and recall items. For the scope of a dead run. */
export async function purgeKvScope(tx: Transaction, scope: ScopeRef): Promise<void> {
  const gone = await tx.query(purgeEntries(scope))
  await removeItem(tx, scope, gone.map(toEntryId))
  await tx.execute(purgeHistory(scope))
  await tx.execute(purgeUsage(scope))
}
