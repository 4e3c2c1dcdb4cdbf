import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef, ScopeSet } from '../../identity/scope.ts'
import { EVIDENCE_COLUMNS } from '../evidence-rows.ts'

export function selectEvidence(scopes: ScopeSet, evidenceId: string): Statement {
  return {
    name: 'evidence.select',
    text: `
      select ${EVIDENCE_COLUMNS} from heddle.evidence
      where tenant_id = any ($1) and scope_id = any ($2) and evidence_id = $3`,
    values: [scopes.tenantIds, scopes.scopeIds, evidenceId],
  }
}

export function selectEvidencePage(
  scopes: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'evidence.select_page',
    text: `
      select ${EVIDENCE_COLUMNS} from heddle.evidence
      where tenant_id = any ($1) and scope_id = any ($2) and ($3::uuid is null or evidence_id > $3)
      order by evidence_id limit $4`,
    values: [scopes.tenantIds, scopes.scopeIds, afterId ?? null, limit],
  }
}

export function countEvidence(scopes: ScopeSet): Statement {
  return {
    name: 'evidence.count',
    text: `
      select count(*)::integer as total from heddle.evidence
      where tenant_id = any ($1) and scope_id = any ($2)`,
    values: [scopes.tenantIds, scopes.scopeIds],
  }
}

/** Removes one piece of evidence and gives what a receipt keeps of it. */
export function deleteEvidence(scope: ScopeRef, evidenceId: string): Statement {
  return {
    name: 'evidence.delete',
    text: `
      delete from heddle.evidence
      where tenant_id = $1 and scope_id = $2 and evidence_id = $3
      returning encode(heddle.keyed_hash($1, quote_hash), 'hex') as hash`,
    values: [scope.tenantId, scope.scopeId, evidenceId],
  }
}

/** Erases what cites a source, or one turn of it, in every scope; gives how many. */
export function eraseEvidence(
  scope: ScopeRef,
  sourceId: string,
  turnId: string | undefined,
): Statement {
  return {
    name: 'evidence.erase',
    // heddle.erase_evidence (tenant_id, scope_id, source_id, turn_id)
    text: `select heddle.erase_evidence($1, $2, $3, $4) as erased`,
    values: [scope.tenantId, scope.scopeId, sourceId, turnId ?? null],
  }
}
