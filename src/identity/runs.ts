import { z } from 'zod'

import { HeddleError } from '../core/errors.ts'
import type { NewId, RunId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import type { Credential } from './authenticate.ts'
import { GRANTS } from './grants.ts'
import type { Identity } from './identity.ts'
import { NAME } from './names.ts'
import { NO_SCOPES } from './scope.ts'
import { endRunStatement, type NewRunRow, startRunStatement } from './sql/runs.ts'
import { makeToken } from './token.ts'

/** How long a run lives when the platform does not say, and at most, in seconds. */
const DEFAULT_TTL_SECONDS = 3600
const MAX_TTL_SECONDS = 7 * 24 * 3600

/** What a platform states about the agent run that it opens. This is where owner ids come from. */
export const RunRequest = z.strictObject({
  agent: NAME.describe('The agent that runs'),
  user: NAME.optional().describe('The user it serves; the narrowest scope is then the user'),
  session: NAME.optional(),
  run: NAME.optional().describe("The platform's own name for the run"),
  parent_run: z.uuid().optional().describe('run_id of the run that spawned this one; must be live'),
  model: NAME.optional(),
  compaction_generation: z.int().min(0).max(1_000_000).optional(),
  grants: z
    .array(z.enum(GRANTS))
    .max(GRANTS.length)
    .optional()
    .describe('At most the grants of the key; none by default'),
  isolated: z.boolean().optional(),
  ttl_seconds: z
    .int()
    .min(1)
    .max(MAX_TTL_SECONDS)
    .optional()
    .describe(`Default ${DEFAULT_TTL_SECONDS}`),
})

export type RunRequest = z.output<typeof RunRequest>

export const StartedRun = z.object({
  run_id: z.string(),
  token: z.string().describe('Bearer token of the run; shown only here'),
  expires_at: z.string(),
  grants: z.array(z.enum(GRANTS)),
})

export type StartedRun = z.output<typeof StartedRun>

/**
 * Opens a run under a service key and gives its token.
 *
 * @throws HeddleError `OPERATION_FORBIDDEN` without a service key, `GRANT_EXCESSIVE`, `RUN_UNKNOWN`
 * when the parent is not a live run of this key.
 */
export async function startRun(
  engine: PostgresEngine,
  newId: NewId,
  credential: Credential,
  request: RunRequest,
  signal: AbortSignal,
): Promise<StartedRun> {
  const service = requireService(credential)
  const grants = request.grants ?? []
  const excessive = grants.filter((grant) => !service.identity.grants.includes(grant))
  if (excessive.length > 0)
    throw new HeddleError('GRANT_EXCESSIVE', { details: { grants: excessive } })
  const { token, hash } = makeToken('run')
  const runId = newId() as RunId
  const expiresAt = await insertRun(engine, signal, {
    ...toRow(service.identity, request),
    runId,
    apiKeyId: service.apiKeyId,
    grants,
    isolated: request.isolated === true || service.identity.isolated,
    tokenHash: hash,
  })
  return { run_id: runId, token, expires_at: expiresAt, grants: [...grants] }
}

/**
 * Ends a run of this key; its `run` scope and those of its descendants are unreadable from then on.
 *
 * @throws HeddleError `RUN_UNKNOWN` when the key has no such run.
 */
export async function endRun(
  engine: PostgresEngine,
  credential: Credential,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { identity, apiKeyId } = requireService(credential)
  await finishRun(engine, endRunStatement(identity.tenantId, apiKeyId, runId), signal)
}

/** How long a run that the operator's own process opened outlives a crash of that process, in seconds. */
const LOCAL_RUN_TTL_SECONDS = 24 * 3600

/** Opens the run of a process whose identity comes from the operator's configuration. */
export async function startLocalRun(
  engine: PostgresEngine,
  newId: NewId,
  identity: Identity,
  signal: AbortSignal,
): Promise<Identity> {
  const runId = newId() as RunId
  await insertRun(engine, signal, {
    tenantId: identity.tenantId,
    runId,
    apiKeyId: null,
    parentRunId: null,
    name: null,
    agent: identity.agent,
    user: identity.user ?? null,
    session: identity.session ?? null,
    model: identity.model ?? null,
    compactionGeneration: identity.compactionGeneration ?? null,
    role: identity.role === 'admin' ? 'admin' : 'agent',
    grants: identity.grants,
    isolated: identity.isolated,
    tokenHash: null,
    ttlSeconds: LOCAL_RUN_TTL_SECONDS,
  })
  return Object.freeze({ ...identity, runId })
}

export async function endLocalRun(
  engine: PostgresEngine,
  identity: Identity,
  signal: AbortSignal,
): Promise<void> {
  if (identity.runId === undefined) return
  await finishRun(engine, endRunStatement(identity.tenantId, null, identity.runId), signal)
}

function requireService(credential: Credential): Credential & { apiKeyId: string } {
  const { identity, apiKeyId } = credential
  if (identity.role !== 'service' || apiKeyId === undefined) {
    throw new HeddleError('OPERATION_FORBIDDEN', {
      message: 'Runs are opened and ended with a service key',
    })
  }
  return { ...credential, apiKeyId }
}

function toRow(
  identity: Identity,
  request: RunRequest,
): Omit<NewRunRow, 'runId' | 'apiKeyId' | 'grants' | 'isolated' | 'tokenHash'> {
  return {
    tenantId: identity.tenantId,
    parentRunId: request.parent_run ?? null,
    name: request.run ?? null,
    agent: request.agent,
    user: request.user ?? null,
    session: request.session ?? null,
    model: request.model ?? null,
    compactionGeneration: request.compaction_generation ?? null,
    role: 'agent',
    ttlSeconds: request.ttl_seconds ?? DEFAULT_TTL_SECONDS,
  }
}

const StartedRow = z.object({ expires_at: z.string() })

async function insertRun(
  engine: PostgresEngine,
  signal: AbortSignal,
  row: NewRunRow,
): Promise<Instant> {
  const [started] = await engine.withTransaction(
    { read: NO_SCOPES, write: NO_SCOPES },
    { signal },
    (tx) => tx.query(startRunStatement(row)),
  )
  if (started === undefined) throw new HeddleError('RUN_UNKNOWN')
  return StartedRow.parse(started).expires_at as Instant
}

async function finishRun(
  engine: PostgresEngine,
  statement: ReturnType<typeof endRunStatement>,
  signal: AbortSignal,
): Promise<void> {
  const [row] = await engine.withTransaction(
    { read: NO_SCOPES, write: NO_SCOPES },
    { signal },
    (tx) => tx.query(statement),
  )
  if (row?.found !== true) throw new HeddleError('RUN_UNKNOWN')
}
