import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef, ScopeSet } from '../../identity/scope.ts'

export interface NewForgetReceipt {
  readonly receiptId: string
  readonly recordIds: readonly string[]
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
  /** Keyed hash as hex by id that was asked for. */
  readonly hashes: Readonly<Record<string, string>>
}

export function insertForgetReceipt(scope: ScopeRef, receipt: NewForgetReceipt): Statement {
  return {
    name: 'forget_receipt.insert',
    text: `
      insert into heddle.forget_receipt (tenant_id, scope_id, receipt_id, state, record_ids, counts, hashes)
      values ($1, $2, $3, 'erased', $4, $5, $6)`,
    values: [
      scope.tenantId,
      scope.scopeId,
      receipt.receiptId,
      receipt.recordIds,
      JSON.stringify(receipt.counts),
      JSON.stringify(receipt.hashes),
    ],
  }
}

export function selectForgetReceipt(scopes: ScopeSet, receiptId: string): Statement {
  return {
    name: 'forget_receipt.select',
    text: `
      select receipt_id, scope_id, state, cardinality(record_ids) as records, counts, hashes,
        heddle.instant(inserted_at) as inserted_at,
        agent, user_name, session, run_id, model, compaction_generation, origin
      from heddle.forget_receipt
      where tenant_id = any ($1) and scope_id = any ($2) and receipt_id = $3`,
    values: [scopes.tenantIds, scopes.scopeIds, receiptId],
  }
}
