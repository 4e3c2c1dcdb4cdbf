import type { Instant } from '../../../core/instant.ts'
import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/**
 * Removes entries that had expired at `at`, except `keep`, and writes their expiry into the history,
 * under the scope's lock. Returns id and bytes of each.
 */
export function expireEntries(
  scope: ScopeRef,
  at: Instant,
  keep: readonly string[],
  limit: number,
): Statement {
  return {
    name: 'kv_entry.expire',
    text: `
      with due as (
        select key from heddle.kv_entry
        where tenant_id = $1 and scope_id = $2 and expires_at <= $3 and key <> all ($4::text[])
        order by expires_at, key limit $5
      ), gone as (
        delete from heddle.kv_entry
        where tenant_id = $1 and scope_id = $2 and key in (select key from due)
        returning entry_id, key, revision, bytes, expires_at
      ), noted as (
        insert into heddle.kv_history
          (tenant_id, scope_id, key, revision, entry_id, op, expires_at, changed_at)
        select $1, $2, key, revision + 1, entry_id, 'expire', expires_at, expires_at from gone
      )
      select entry_id, bytes from gone`,
    values: [scope.tenantId, scope.scopeId, at, keep, limit],
  }
}
