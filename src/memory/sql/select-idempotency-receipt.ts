import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

/** What an earlier call with the key left, and whether its body was the same. */
export function selectIdempotencyReceipt(
  scope: ScopeRef,
  op: string,
  key: string,
  body: Buffer,
): Statement {
  return {
    name: 'idempotency.select',
    text: `
      select receipt, body_hash = heddle.keyed_hash($1, $5) as same_body
      from heddle.idempotency
      where tenant_id = $1 and scope_id = $2 and op = $3 and key = $4`,
    values: [scope.tenantId, scope.scopeId, op, key, body],
  }
}
