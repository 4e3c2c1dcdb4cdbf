import type { ApiKeyId, RunId, TenantId } from '../core/ids.ts'
import type { Grant } from './grants.ts'

/** What a credential is for: `agent` works with memory, `service` opens runs for agents, `admin` also administers its tenant. */
export type Role = 'agent' | 'service' | 'admin'

export const ROLES = ['agent', 'service', 'admin'] as const satisfies readonly Role[]

/**
 * Who is calling. Always made from a credential or from the operator's configuration, never from
 * anything in a call; frozen for the length of one call.
 */
export interface Identity {
  readonly tenantId: TenantId
  readonly tenant: string
  readonly agent: string
  readonly user?: string
  readonly session?: string
  /** The key that this identity was made from, for one that came straight from a key. */
  readonly apiKeyId?: ApiKeyId
  readonly runId?: RunId
  readonly run?: string
  readonly parentRunId?: RunId
  readonly model?: string
  readonly compactionGeneration?: number
  readonly role: Role
  readonly grants: readonly Grant[]
  /** An isolated identity reaches its run and its narrowest scope and nothing wider, whatever its grants. */
  readonly isolated: boolean
}
