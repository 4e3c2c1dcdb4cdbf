import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** Removes the byte count of a scope. */
export function purgeUsage(scope: ScopeRef): Statement {
  return {
    name: 'kv_usage.purge',
    text: `
      delete from heddle.kv_usage
      where tenant_id = $1 and scope_id = $2`,
    values: [scope.tenantId, scope.scopeId],
  }
}
