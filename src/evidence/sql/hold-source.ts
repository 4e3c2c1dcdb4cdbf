import type { Statement } from '../../engines/postgres/statement.ts'

/**
 * Keeps a readable source from being deleted or erased until the transaction ends; `held` is false when it
 * is not there (any more). Row-level security checks the scopes inside the function.
 */
export function holdSource(source: {
  readonly tenantId: string
  readonly scopeId: string
  readonly sourceId: string
}): Statement {
  return {
    name: 'source.hold',
    // heddle.hold_source (tenant_id, scope_id, source_id)
    text: `select heddle.hold_source($1, $2, $3) as held`,
    values: [source.tenantId, source.scopeId, source.sourceId],
  }
}
