import type { LocalIdentityConfig } from '../config/config.ts'
import { newRandomId } from '../core/ids.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import { authenticate } from '../identity/authenticate.ts'
import type { Identity } from '../identity/identity.ts'
import { startLocalRun } from '../identity/runs.ts'
import { findTenant } from '../identity/tenants.ts'

export interface LocalIdentityOptions {
  readonly signal: AbortSignal
  /** Opens a run that lives as long as the process, so that scope `run` works. */
  readonly withRun: boolean
}

/**
 * Who this process is: the holder of the configured key, or the identity that the operator wrote down.
 *
 * @throws HeddleError `CREDENTIAL_INVALID`, `TENANT_UNKNOWN`.
 */
export async function openLocalIdentity(
  engine: PostgresEngine,
  config: LocalIdentityConfig,
  { signal, withRun }: LocalIdentityOptions,
): Promise<Identity> {
  if (config.apiKey !== undefined)
    return (await authenticate(engine, config.apiKey, signal)).identity
  const { tenant, agent, user, session, model, grants, isolated } = config
  const tenantId = await findTenant(engine, tenant, signal)
  const identity: Identity = Object.freeze({
    tenantId,
    tenant,
    agent,
    role: 'agent',
    grants,
    isolated,
    ...(user !== undefined && { user }),
    ...(session !== undefined && { session }),
    ...(model !== undefined && { model }),
  })
  return withRun ? startLocalRun(engine, newRandomId, identity, signal) : identity
}
