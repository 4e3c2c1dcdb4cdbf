import { z } from 'zod'

import { HeddleError } from '../core/errors.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import type { Identity } from './identity.ts'
import { NO_SCOPES, SCOPE_KINDS, type ScopeRef } from './scope.ts'
import { resolveScopesStatement } from './sql/resolve-scopes.ts'

const ScopeRow = z.object({
  kind: z.enum(SCOPE_KINDS),
  tenant_id: z.string(),
  scope_id: z.string(),
})

/**
 * The rows of every scope an identity could have, rights not yet considered: the one place where
 * scopes become ids. Asked anew by every call, so that the end of a run or a tenant counts at once.
 *
 * @throws HeddleError `RUN_ENDED` when the run is over, `CREDENTIAL_INVALID` when the tenant is gone.
 */
export async function resolveScopes(
  engine: PostgresEngine,
  identity: Identity,
  signal: AbortSignal,
): Promise<readonly ScopeRef[]> {
  const rows = await engine.withTransaction(
    { read: NO_SCOPES, write: NO_SCOPES },
    { signal },
    (tx) => tx.query(resolveScopesStatement(identity)),
  )
  if (rows.length === 0) {
    throw new HeddleError(identity.runId === undefined ? 'CREDENTIAL_INVALID' : 'RUN_ENDED')
  }
  return rows.map((row) => {
    const { kind, tenant_id, scope_id } = ScopeRow.parse(row)
    return {
      kind,
      tenantId: tenant_id as ScopeRef['tenantId'],
      scopeId: scope_id as ScopeRef['scopeId'],
    }
  })
}
