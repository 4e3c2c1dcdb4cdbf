import { z } from 'zod'

import { HeddleError } from '../core/errors.ts'
import type { ApiKeyId, NewId } from '../core/ids.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import { GRANTS } from './grants.ts'
import { ROLES } from './identity.ts'
import { NAME, TENANT_NAME } from './names.ts'
import { insertKeyStatement, listKeysStatement, revokeKeyStatement } from './sql/keys.ts'
import { findTenant } from './tenants.ts'
import { makeToken } from './token.ts'

export const KeyRequest = z
  .strictObject({
    tenant: TENANT_NAME,
    role: z.enum(ROLES),
    agent: NAME.optional(),
    user: NAME.optional(),
    label: NAME.optional(),
    grants: z.array(z.enum(GRANTS)).default([]),
    isolated: z.boolean().default(false),
  })
  .refine(({ role, agent }) => role === 'service' || agent !== undefined, {
    path: ['agent'],
    error: 'A key of role agent or admin names its agent',
  })

export type KeyRequest = z.output<typeof KeyRequest>

export interface CreatedKey {
  readonly api_key_id: string
  readonly prefix: string
  /** Shown only here; Heddle keeps its hash. */
  readonly token: string
}

export const ApiKey = z.object({
  api_key_id: z.string(),
  prefix: z.string(),
  label: z.string().nullable(),
  role: z.enum(ROLES),
  agent: z.string().nullable(),
  user: z.string().nullable(),
  grants: z.array(z.string()),
  isolated: z.boolean(),
  inserted_at: z.string(),
  revoked_at: z.string().nullable(),
})
export type ApiKey = z.output<typeof ApiKey>

/** @throws HeddleError `TENANT_UNKNOWN`. */
export async function createKey(
  engine: PostgresEngine,
  newId: NewId,
  request: KeyRequest,
  signal: AbortSignal,
): Promise<CreatedKey> {
  const tenantId = await findTenant(engine, request.tenant, signal)
  const { token, prefix, hash } = makeToken('key')
  const apiKeyId = newId() as ApiKeyId
  const row = {
    tenantId,
    apiKeyId,
    prefix,
    tokenHash: hash,
    label: request.label ?? null,
    role: request.role,
    agent: request.agent ?? null,
    user: request.user ?? null,
    grants: request.grants,
    isolated: request.isolated,
  }
  await engine.withOwner({ signal }, (tx) => tx.execute(insertKeyStatement(row)))
  return { api_key_id: apiKeyId, prefix, token }
}

/** @throws HeddleError `TENANT_UNKNOWN`. */
export async function listKeys(
  engine: PostgresEngine,
  tenant: string,
  signal: AbortSignal,
): Promise<readonly ApiKey[]> {
  const tenantId = await findTenant(engine, tenant, signal)
  const rows = await engine.withOwner({ signal }, (tx) => tx.query(listKeysStatement(tenantId)))
  return rows.map((row) => ApiKey.parse(row))
}

/**
 * Revokes a key, and with it every run it opened, at once.
 *
 * @throws HeddleError `TENANT_UNKNOWN`, `KEY_UNKNOWN`.
 */
export async function revokeKey(
  engine: PostgresEngine,
  tenant: string,
  idOrPrefix: string,
  signal: AbortSignal,
): Promise<void> {
  const tenantId = await findTenant(engine, tenant, signal)
  const touched = await engine.withOwner({ signal }, (tx) =>
    tx.execute(revokeKeyStatement(tenantId, idOrPrefix)),
  )
  if (touched === 0) throw new HeddleError('KEY_UNKNOWN')
}
