import type { Statement } from '../../../engines/postgres/statement.ts'

/** Where something has expired, in all tenants: for the dispatch role, which sees ids and times only. */
export function selectExpiredScopes(limit: number): Statement {
  return {
    name: 'kv_entry.select_expired_scopes',
    text: `
      select s.tenant_id, s.scope_id, s.kind
      from (
        select distinct tenant_id, scope_id from heddle.kv_entry
        where expires_at <= clock_timestamp()
        limit $1
      ) due
      join heddle.scope s on s.tenant_id = due.tenant_id and s.scope_id = due.scope_id
      order by s.tenant_id, s.scope_id`,
    values: [limit],
  }
}
