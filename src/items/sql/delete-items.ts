import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

export function deleteItems(scope: ScopeRef, recordIds: readonly string[]): Statement {
  return {
    name: 'item.delete',
    text: `
      delete from heddle.recall_item
      where tenant_id = $1 and scope_id = $2 and record_id = any ($3)`,
    values: [scope.tenantId, scope.scopeId, recordIds],
  }
}
