import type { Instant } from '../../core/instant.ts'
import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import type { Locator, Stance } from '../evidence.ts'
import type { HashedSpan } from '../span.ts'

export interface NewEvidence {
  readonly evidenceId: string
  readonly source: {
    readonly tenantId: string
    readonly scopeId: string
    readonly sourceId: string
  }
  readonly revision: number
  readonly chunkId: string
  readonly span: HashedSpan
  readonly stance: Stance
  readonly confidence: number
  readonly locator?: Locator | undefined
  /** Default: the caller, now. */
  readonly judge?:
    { readonly by: string; readonly at: Instant; readonly model?: string } | undefined
}

export function insertEvidence(scope: ScopeRef, added: NewEvidence): Statement {
  const { source, span, judge } = added
  return {
    name: 'evidence.insert',
    text: `
      insert into heddle.evidence (tenant_id, scope_id, evidence_id, source_tenant_id, source_scope_id,
        source_id, revision, chunk_id, start_offset, end_offset, quote_hash, stance, confidence, locator,
        judged_by, judged_at, judge_model)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, decode($11, 'hex'), $12, $13, $14,
        coalesce($15, heddle.stamp('agent')), coalesce($16::timestamptz, clock_timestamp()),
        case when $15::text is null then heddle.stamp('model') else $17 end)`,
    values: [
      scope.tenantId,
      scope.scopeId,
      added.evidenceId,
      source.tenantId,
      source.scopeId,
      source.sourceId,
      added.revision,
      added.chunkId,
      span.start,
      span.end,
      span.hash,
      added.stance,
      added.confidence,
      added.locator === undefined ? null : JSON.stringify(added.locator),
      judge?.by ?? null,
      judge?.at ?? null,
      judge?.model ?? null,
    ],
  }
}
