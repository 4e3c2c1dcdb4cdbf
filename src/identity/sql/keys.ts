import type { Statement } from '../../engines/postgres/statement.ts'

/** Administration of API keys, under the owner role. */

export interface NewKeyRow {
  readonly tenantId: string
  readonly apiKeyId: string
  readonly prefix: string
  readonly tokenHash: Buffer
  readonly label: string | null
  readonly role: string
  readonly agent: string | null
  readonly user: string | null
  readonly grants: readonly string[]
  readonly isolated: boolean
}

export function insertKeyStatement(row: NewKeyRow): Statement {
  return {
    name: 'api_key.insert',
    text: `
      insert into heddle.api_key
        (tenant_id, api_key_id, prefix, token_hash, label, role, agent, user_name, grants, isolated)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      row.tenantId,
      row.apiKeyId,
      row.prefix,
      row.tokenHash,
      row.label,
      row.role,
      row.agent,
      row.user,
      row.grants,
      row.isolated,
    ],
  }
}

export function listKeysStatement(tenantId: string): Statement {
  return {
    name: 'api_key.list',
    text: `
      select api_key_id, prefix, label, role, agent, user_name as user, grants, isolated,
        heddle.instant(inserted_at) as inserted_at, heddle.instant(revoked_at) as revoked_at
      from heddle.api_key where tenant_id = $1 order by inserted_at, api_key_id`,
    values: [tenantId],
  }
}

/** By id or by the prefix that `keys list` shows. */
export function revokeKeyStatement(tenantId: string, idOrPrefix: string): Statement {
  return {
    name: 'api_key.revoke',
    text: `
      update heddle.api_key set revoked_at = coalesce(revoked_at, clock_timestamp())
      where tenant_id = $1 and (api_key_id::text = $2 or prefix = $2)`,
    values: [tenantId, idOrPrefix],
  }
}
