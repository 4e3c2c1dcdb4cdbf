import type { Instant } from '../core/instant.ts'
import type { Row } from '../engines/postgres/engine.ts'
import type { Evidence, Locator, Stance } from './evidence.ts'
import { readEnvelope, withoutNulls } from './rows.ts'

/** Select list of everything {@link toEvidence} reads. */
export const EVIDENCE_COLUMNS = `
  evidence_id, scope_id, source_scope_id, source_id, revision, chunk_id, start_offset, end_offset,
  encode(quote_hash, 'hex') as quote_hash, stance, confidence, locator, judged_by,
  heddle.instant(judged_at) as judged_at, judge_model, heddle.instant(erased_at) as erased_at,
  heddle.instant(inserted_at) as inserted_at,
  agent, user_name, session, run_id, model, compaction_generation, origin`

export function toEvidence(row: Row): Evidence {
  const locator = row['locator'] as string | null
  const optional = {
    locator: locator === null ? null : (JSON.parse(locator) as Locator),
    judgeModel: row['judge_model'] as string | null,
    erasedAt: row['erased_at'] as Instant | null,
  }
  return {
    evidenceId: row['evidence_id'] as string,
    scopeId: row['scope_id'] as string,
    sourceScopeId: row['source_scope_id'] as string,
    sourceId: row['source_id'] as string,
    revision: row['revision'] as number,
    chunkId: row['chunk_id'] as string,
    span: {
      start: row['start_offset'] as number,
      end: row['end_offset'] as number,
      hash: row['quote_hash'] as string,
    },
    stance: row['stance'] as Stance,
    confidence: row['confidence'] as number,
    judgedBy: row['judged_by'] as string,
    judgedAt: row['judged_at'] as Instant,
    insertedAt: row['inserted_at'] as Instant,
    provenance: readEnvelope(row),
    ...withoutNulls(optional),
  }
}
