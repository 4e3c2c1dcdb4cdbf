import type { Statement } from '../../engines/postgres/statement.ts'
import type { Identity } from '../identity.ts'

/** The scope rows of an identity, made when missing; nothing when its tenant is gone, its run is over or its key is revoked. */
export function resolveScopesStatement(identity: Identity): Statement {
  return {
    name: 'scope.resolve',
    text: 'select kind, tenant_id, scope_id from heddle.resolve_scopes($1, $2, $3, $4, $5)',
    values: [
      identity.tenantId,
      identity.agent,
      identity.user ?? null,
      identity.runId ?? null,
      identity.apiKeyId ?? null,
    ],
  }
}
