import type { Statement } from '../../engines/postgres/statement.ts'

/** Scopes that hold keys of more than 24 hours ago. For the dispatch role. */
export function listStaleIdempotency(limit: number): Statement {
  return {
    name: 'idempotency.list_stale',
    text: `
      select distinct tenant_id, scope_id from heddle.idempotency
      where inserted_at < clock_timestamp() - interval '24 hours'
      limit $1`,
    values: [limit],
  }
}
