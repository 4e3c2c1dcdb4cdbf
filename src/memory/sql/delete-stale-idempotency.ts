import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

export function deleteStaleIdempotency(scope: Pick<ScopeRef, 'tenantId' | 'scopeId'>): Statement {
  return {
    name: 'idempotency.delete_stale',
    text: `
      delete from heddle.idempotency
      where tenant_id = $1 and scope_id = $2 and inserted_at < clock_timestamp() - interval '24 hours'`,
    values: [scope.tenantId, scope.scopeId],
  }
}
