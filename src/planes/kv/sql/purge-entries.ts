import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** Removes every entry of a scope and returns the ids. */
export function purgeEntries(scope: ScopeRef): Statement {
  return {
    name: 'kv_entry.purge',
    text: `
      delete from heddle.kv_entry
      where tenant_id = $1 and scope_id = $2
      returning entry_id`,
    values: [scope.tenantId, scope.scopeId],
  }
}
