import { z } from 'zod'

import { HeddleError } from '../core/errors.ts'
import type { ApiKeyId, RunId, TenantId } from '../core/ids.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import { type Grant, isGrant } from './grants.ts'
import { type Identity, ROLES } from './identity.ts'
import { NO_SCOPES } from './scope.ts'
import { authenticateStatement } from './sql/authenticate.ts'
import { hashToken, isTokenShaped } from './token.ts'

/** What a token proved to be: the identity that calls, and the key it came from. */
export interface Credential {
  readonly identity: Identity
  readonly apiKeyId?: ApiKeyId
  readonly kind: 'key' | 'run'
}

const CredentialRow = z.object({
  credential: z.enum(['key', 'run']),
  tenant_id: z.string(),
  tenant: z.string(),
  api_key_id: z.string().nullable(),
  run_id: z.string().nullable(),
  run_name: z.string().nullable(),
  parent_run_id: z.string().nullable(),
  agent: z.string().nullable(),
  user_name: z.string().nullable(),
  session: z.string().nullable(),
  model: z.string().nullable(),
  compaction_generation: z.number().nullable(),
  role: z.enum(ROLES),
  grants: z.array(z.string()),
  isolated: z.boolean(),
})

/**
 * Turns a bearer token into the identity it stands for.
 *
 * @throws HeddleError `CREDENTIAL_INVALID` when it is unknown, revoked, ended or expired, alike for all four.
 */
export async function authenticate(
  engine: PostgresEngine,
  token: string,
  signal: AbortSignal,
): Promise<Credential> {
  if (!isTokenShaped(token)) throw new HeddleError('CREDENTIAL_INVALID')
  const [row] = await engine.withTransaction(
    { read: NO_SCOPES, write: NO_SCOPES },
    { signal, readOnly: true },
    (tx) => tx.query(authenticateStatement(hashToken(token))),
  )
  if (row === undefined) throw new HeddleError('CREDENTIAL_INVALID')
  return toCredential(CredentialRow.parse(row))
}

function toCredential(row: z.output<typeof CredentialRow>): Credential {
  const identity: Identity = Object.freeze({
    tenantId: row.tenant_id as TenantId,
    tenant: row.tenant,
    agent: row.agent ?? '',
    role: row.role,
    grants: row.grants.filter((grant): grant is Grant => isGrant(grant)),
    isolated: row.isolated,
    ...(row.credential === 'key' &&
      row.api_key_id !== null && { apiKeyId: row.api_key_id as ApiKeyId }),
    ...(row.user_name !== null && { user: row.user_name }),
    ...(row.session !== null && { session: row.session }),
    ...(row.run_id !== null && { runId: row.run_id as RunId }),
    ...(row.run_name !== null && { run: row.run_name }),
    ...(row.parent_run_id !== null && { parentRunId: row.parent_run_id as RunId }),
    ...(row.model !== null && { model: row.model }),
    ...(row.compaction_generation !== null && { compactionGeneration: row.compaction_generation }),
  })
  return {
    identity,
    kind: row.credential,
    ...(row.api_key_id !== null && { apiKeyId: row.api_key_id as ApiKeyId }),
  }
}
