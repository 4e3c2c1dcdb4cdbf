import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'

import { newRandomId } from '../../src/core/ids.ts'
import { SILENT_LOGGER } from '../../src/core/logger.ts'
import type { PostgresEngine } from '../../src/engines/postgres/engine.ts'
import { GRANTS } from '../../src/identity/grants.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { createTenant } from '../../src/identity/tenants.ts'
import type { OperationArgs, OperationName, OperationResult } from '../../src/memory/registry.ts'
import type { MemoryFailure, MemoryReply, MemorySuccess } from '../../src/memory/reply.ts'
import { callMemory, type MemoryDeps } from '../../src/memory/router.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/operation/limits.ts'

export const NEVER = new AbortController().signal
// Many calls listen to it at once.
setMaxListeners(0, NEVER)

export interface TestHeddle {
  readonly deps: MemoryDeps
  /** A fresh tenant and an identity of its agent `a1`; parts may be replaced. */
  identity(parts?: Partial<Identity>): Promise<Identity>
  /** Calls an operation and gives the whole reply. */
  reply(identity: Identity, op: string, args?: unknown, scope?: string): Promise<MemoryReply>
  /** Calls an operation that must go well and gives its result. */
  call<N extends OperationName>(
    identity: Identity,
    op: N,
    args: OperationArgs<N>,
    scope?: string,
  ): Promise<OperationResult<N>>
  /** Calls an operation that must fail and gives the failure. */
  fail(identity: Identity, op: string, args?: unknown, scope?: string): Promise<MemoryFailure>
}

/** The router over a real engine, without the edges. */
export function makeTestHeddle(engine: PostgresEngine, limits: Partial<Limits> = {}): TestHeddle {
  const deps: MemoryDeps = {
    engine,
    limits: { ...DEFAULT_LIMITS, ...limits },
    newId: newRandomId,
    logger: SILENT_LOGGER,
  }
  const reply: TestHeddle['reply'] = (identity, op, args, scope) =>
    callMemory(
      deps,
      identity,
      { op, ...(args !== undefined && { args }), ...(scope !== undefined && { scope }) },
      { signal: NEVER },
    )
  return {
    deps,
    reply,
    identity: async (parts = {}) => {
      const tenant = parts.tenant ?? `t-${randomUUID()}`
      const tenantId = parts.tenantId ?? (await createTenant(engine, newRandomId, tenant, NEVER))
      return {
        agent: 'a1',
        role: 'agent',
        grants: GRANTS.filter((grant) => grant.startsWith('tenant')),
        isolated: false,
        ...parts,
        tenant,
        tenantId,
      }
    },
    call: async (identity, op, args, scope) => {
      const answer = await reply(identity, op, args, scope)
      if (!answer.ok) throw new Error(`${op} failed: ${JSON.stringify(answer.error)}`)
      return (answer as MemorySuccess<OperationResult<typeof op>>).result
    },
    fail: async (identity, op, args, scope) => {
      const answer = await reply(identity, op, args, scope)
      if (answer.ok) throw new Error(`${op} was expected to fail and did not`)
      return answer
    },
  }
}
