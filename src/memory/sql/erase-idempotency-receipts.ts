import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

/** Empties the receipts of calls that name one of the ids: their answers cannot be rebuilt any more. */
export function eraseIdempotencyReceipts(scope: ScopeRef, ids: readonly string[]): Statement {
  return {
    name: 'idempotency.erase_receipts',
    text: `
      update heddle.idempotency set receipt = null
      where tenant_id = $1 and scope_id = $2 and receipt is not null
        and exists (select from unnest($3::text[]) as gone (id) where strpos(receipt::text, gone.id) > 0)`,
    values: [scope.tenantId, scope.scopeId, ids],
  }
}
