import type { Identity } from '../identity/identity.ts'

/** Who caused a row: stamped by the server from the writer's identity, never stated by a caller. */
export type Origin = 'agent' | 'operator' | 'consolidator' | 'harvest' | 'import'

/**
 * The envelope that every stored row carries beside its tenant and scope. It reaches the database as
 * transaction-local settings, from which the envelope columns take their defaults, so no statement
 * can forget or forge it.
 */
export interface Provenance {
  readonly agent: string
  readonly user?: string
  readonly session?: string
  readonly runId?: string
  readonly model?: string
  readonly compactionGeneration?: number
  readonly origin: Origin
}

export function makeProvenance(identity: Identity, origin?: Origin): Provenance {
  const { agent, user, session, runId, model, compactionGeneration, role } = identity
  return Object.freeze({
    agent,
    ...(user !== undefined && { user }),
    ...(session !== undefined && { session }),
    ...(runId !== undefined && { runId }),
    ...(model !== undefined && { model }),
    ...(compactionGeneration !== undefined && { compactionGeneration }),
    origin: origin ?? (role === 'admin' ? 'operator' : 'agent'),
  })
}
