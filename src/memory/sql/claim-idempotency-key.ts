import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

/**
 * Takes a key, or takes over one of more than 24 hours ago. Returns a row when taken. Waits for a
 * transaction that is just taking the same key.
 */
export function claimIdempotencyKey(
  scope: ScopeRef,
  op: string,
  key: string,
  body: Buffer,
): Statement {
  return {
    name: 'idempotency.claim',
    text: `
      insert into heddle.idempotency as held (tenant_id, scope_id, op, key, body_hash)
      values ($1, $2, $3, $4, heddle.keyed_hash($1, $5))
      on conflict (tenant_id, scope_id, op, key) do update
        set body_hash = excluded.body_hash, receipt = null, inserted_at = clock_timestamp()
        where held.inserted_at < clock_timestamp() - interval '24 hours'
      returning 1`,
    values: [scope.tenantId, scope.scopeId, op, key, body],
  }
}
