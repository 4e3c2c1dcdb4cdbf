import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** Removes entries by key, under the scope's lock. */
export function deleteEntries(scope: ScopeRef, keys: readonly string[]): Statement {
  return {
    name: 'kv_entry.delete',
    text: `
      delete from heddle.kv_entry
      where tenant_id = $1 and scope_id = $2 and key = any ($3::text[])`,
    values: [scope.tenantId, scope.scopeId, keys],
  }
}
