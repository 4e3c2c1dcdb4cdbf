import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** Sets the bytes a scope holds, under its lock. */
export function updateUsage(scope: ScopeRef, bytes: number): Statement {
  return {
    name: 'kv_usage.update',
    text: `
      update heddle.kv_usage set bytes = $3
      where tenant_id = $1 and scope_id = $2`,
    values: [scope.tenantId, scope.scopeId, bytes],
  }
}
