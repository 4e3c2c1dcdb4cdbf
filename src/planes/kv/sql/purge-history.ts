import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** Removes the history of every key of a scope. */
export function purgeHistory(scope: ScopeRef): Statement {
  return {
    name: 'kv_history.purge',
    text: `
      delete from heddle.kv_history
      where tenant_id = $1 and scope_id = $2`,
    values: [scope.tenantId, scope.scopeId],
  }
}
