import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import type { Receipt } from '../../operation/definition.ts'

export function storeIdempotencyReceipt(
  scope: ScopeRef,
  op: string,
  key: string,
  receipt: Receipt,
): Statement {
  return {
    name: 'idempotency.store',
    text: `
      update heddle.idempotency set receipt = $5
      where tenant_id = $1 and scope_id = $2 and op = $3 and key = $4`,
    values: [scope.tenantId, scope.scopeId, op, key, JSON.stringify(receipt)],
  }
}
