import type { RunId, TenantId } from '../../core/ids.ts'
import type { Statement } from '../../engines/postgres/statement.ts'

export interface NewRunRow {
  readonly tenantId: TenantId
  readonly runId: RunId
  readonly apiKeyId: string | null
  readonly parentRunId: string | null
  readonly name: string | null
  readonly agent: string
  readonly user: string | null
  readonly session: string | null
  readonly model: string | null
  readonly compactionGeneration: number | null
  readonly role: 'agent' | 'admin'
  readonly grants: readonly string[]
  readonly isolated: boolean
  readonly tokenHash: Buffer | null
  readonly ttlSeconds: number
}

/** Opens a run and its scope; no row when the key or the parent is not live. */
export function startRunStatement(row: NewRunRow): Statement {
  return {
    name: 'run.start',
    text: `
      select scope_id, heddle.instant(expires_at) as expires_at
      from heddle.start_run($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    values: [
      row.tenantId,
      row.runId,
      row.apiKeyId,
      row.parentRunId,
      row.name,
      row.agent,
      row.user,
      row.session,
      row.model,
      row.compactionGeneration,
      row.role,
      row.grants,
      row.isolated,
      row.tokenHash,
      row.ttlSeconds,
    ],
  }
}

/** Ends a run of one key; harmless when it is over already. */
export function endRunStatement(
  tenantId: TenantId,
  apiKeyId: string | null,
  runId: string,
): Statement {
  return {
    name: 'run.end',
    text: 'select heddle.end_run($1, $2, $3) as found',
    values: [tenantId, apiKeyId, runId],
  }
}

/** Ended, expired or orphaned runs whose scope still has to be emptied. For the dispatch role. */
export function listDeadRunsStatement(limit: number): Statement {
  return {
    name: 'run.list_dead',
    text: 'select tenant_id, run_id, scope_id from heddle.list_dead_runs($1)',
    values: [limit],
  }
}

export function markRunPurgedStatement(tenantId: TenantId, runId: RunId): Statement {
  return {
    name: 'run.mark_purged',
    text: 'select heddle.mark_run_purged($1, $2)',
    values: [tenantId, runId],
  }
}
