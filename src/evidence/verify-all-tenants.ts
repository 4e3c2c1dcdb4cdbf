import type { ScopeId, TenantId } from '../core/ids.ts'
import type { PostgresEngine, Row } from '../engines/postgres/engine.ts'
import { makeScopeSet, type ScopeKind, type ScopeRef } from '../identity/scope.ts'
import { listSourceScopes } from './sql/list-scopes.ts'
import { verifyEvidence, type VerifyProgress, type VerifyReport } from './verify-evidence.ts'

const NOTHING: VerifyReport = {
  texts: 0,
  chunks: 0,
  turns: 0,
  evidence: 0,
  not_readable: 0,
  failed: 0,
  faults: [],
}

/**
 * {@link verifyEvidence} for every scope of the installation, one tenant after the other. For operators:
 * it answers with ids, counts and no contents, but to whom no scope was granted.
 */
export async function verifyAllTenants(
  engine: PostgresEngine,
  options: { readonly signal: AbortSignal; readonly progress?: VerifyProgress },
): Promise<VerifyReport> {
  const { signal } = options
  const rows = await engine.withDispatch({ signal }, (tx) => tx.query(listSourceScopes()))
  const scopes = rows.map(toScopeRef)
  const shared = scopes.filter(({ kind }) => kind === 'global')
  let report = NOTHING
  for (const tenantId of new Set(scopes.map((scope) => scope.tenantId))) {
    const own = scopes.filter((scope) => scope.tenantId === tenantId)
    const others = shared.filter((scope) => scope.tenantId !== tenantId)
    const cited = makeScopeSet([...own, ...others])
    report = sum(report, await verifyEvidence(engine, makeScopeSet(own), { ...options, cited }))
  }
  return report
}

function toScopeRef(row: Row): ScopeRef {
  return {
    kind: row['kind'] as ScopeKind,
    tenantId: row['tenant_id'] as TenantId,
    scopeId: row['scope_id'] as ScopeId,
  }
}

function sum(one: VerifyReport, other: VerifyReport): VerifyReport {
  return {
    texts: one.texts + other.texts,
    chunks: one.chunks + other.chunks,
    turns: one.turns + other.turns,
    evidence: one.evidence + other.evidence,
    not_readable: one.not_readable + other.not_readable,
    failed: one.failed + other.failed,
    faults: [...one.faults, ...other.faults],
  }
}
