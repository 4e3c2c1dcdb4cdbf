import { z } from 'zod'

import { toHeddleError } from '../core/errors.ts'
import type { RunId, ScopeId, TenantId } from '../core/ids.ts'
import type { Logger } from '../core/logger.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import { makeScopeSet, type ScopeKind, type ScopeRef } from '../identity/scope.ts'
import { listDeadRunsStatement, markRunPurgedStatement } from '../identity/sql/runs.ts'
import { purgeKvScope, sweepExpiredKv } from '../planes/kv/index.ts'
import { deleteStaleIdempotency } from './sql/delete-stale-idempotency.ts'
import { listStaleIdempotency } from './sql/list-stale-idempotency.ts'

/** How often each process looks, in milliseconds; several processes do no harm to each other. */
const INTERVAL_MS = 30_000
/** Pieces of work taken at a time. */
const BATCH = 100

export interface Maintenance {
  /** Waits for the sweep that runs. */
  stop(): Promise<void>
}

export interface MaintenanceDeps {
  readonly engine: PostgresEngine
  readonly logger: Logger
}

/**
 * Removes in the background what nobody can read any more: expired entries, what ended runs held,
 * old idempotency keys. Reads never depend on it.
 */
export function startMaintenance(deps: MaintenanceDeps): Maintenance {
  const controller = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(() => sweepAndLog(deps, controller.signal))
  }, INTERVAL_MS)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      controller.abort()
      return running
    },
  }
}

export interface SweepReport {
  readonly expiredEntries: number
  readonly purgedRuns: number
  readonly staleKeys: number
}

/** One round, for the timer, for operators and for tests. */
export async function sweep(engine: PostgresEngine, signal: AbortSignal): Promise<SweepReport> {
  return {
    expiredEntries: await sweepExpiredKv(engine, BATCH, signal),
    purgedRuns: await purgeDeadRuns(engine, signal),
    staleKeys: await deleteStaleKeys(engine, signal),
  }
}

async function sweepAndLog(
  { engine, logger }: MaintenanceDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    const report = await sweep(engine, signal)
    logger.debug('maintenance.swept', { ...report })
  } catch (thrown) {
    const { code } = toHeddleError(thrown)
    if (!signal.aborted) logger.warn('maintenance.failed', { code })
  }
}

const WorkRow = z.object({
  tenant_id: z.string(),
  scope_id: z.string(),
  run_id: z.string().optional(),
})

function toScope(row: z.output<typeof WorkRow>, kind: ScopeKind): ScopeRef {
  return { kind, tenantId: row.tenant_id as TenantId, scopeId: row.scope_id as ScopeId }
}

async function purgeDeadRuns(engine: PostgresEngine, signal: AbortSignal): Promise<number> {
  const rows = await engine.withDispatch({ signal }, (tx) => tx.query(listDeadRunsStatement(BATCH)))
  for (const row of rows.map((found) => WorkRow.parse(found))) {
    const scope = toScope(row, 'run')
    const only = makeScopeSet([scope])
    await engine.withTransaction({ read: only, write: only }, { signal }, async (tx) => {
      await purgeKvScope(tx, scope)
      await tx.query(markRunPurgedStatement(scope.tenantId, row.run_id as RunId))
    })
  }
  return rows.length
}

async function deleteStaleKeys(engine: PostgresEngine, signal: AbortSignal): Promise<number> {
  const rows = await engine.withDispatch({ signal }, (tx) => tx.query(listStaleIdempotency(BATCH)))
  let deleted = 0
  for (const row of rows.map((found) => WorkRow.parse(found))) {
    const scope = toScope(row, 'agent')
    const only = makeScopeSet([scope])
    deleted += await engine.withTransaction({ read: only, write: only }, { signal }, (tx) =>
      tx.execute(deleteStaleIdempotency(scope)),
    )
  }
  return deleted
}
