import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'

/** Where a walk through revisions or evidence stands. */
export interface RevisionCursor {
  readonly sourceId: string
  readonly revision: number
}

/** Texts of the scopes, deleted sources included: what a page of them weighs is known before it is read. */
export function listRevisionSizes(
  scopes: ScopeSet,
  after: RevisionCursor | undefined,
  limit: number,
): Statement {
  return {
    name: 'source_revision.list_sizes',
    text: `
      select source_id, revision, length as size from heddle.source_revision
      where tenant_id = any ($1) and scope_id = any ($2) and text is not null
        and ($3::uuid is null or (source_id, revision) > ($3, $4))
      order by source_id, revision limit $5`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      after?.sourceId ?? null,
      after?.revision ?? null,
      limit,
    ],
  }
}

export function selectRevisionTexts(
  scopes: ScopeSet,
  revisions: readonly RevisionCursor[],
): Statement {
  return {
    name: 'source_revision.select_texts',
    text: `
      select r.source_id, r.revision, r.text, encode(r.text_hash, 'hex') as hash
      from unnest($3::uuid[], $4::integer[]) as wanted (source_id, revision)
      join heddle.source_revision r on r.source_id = wanted.source_id and r.revision = wanted.revision
      where r.tenant_id = any ($1) and r.scope_id = any ($2) and r.text is not null`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      revisions.map(({ sourceId }) => sourceId),
      revisions.map(({ revision }) => revision),
    ],
  }
}

/** The spans that chunks have in one revision, from a position on. */
export function selectChunkHashes(
  scopes: ScopeSet,
  { sourceId, revision }: RevisionCursor,
  fromPosition: number,
  limit: number,
): Statement {
  return {
    name: 'chunk_revision.select_hashes',
    text: `
      select chunk_id, position, quote_start, quote_end, encode(quote_hash, 'hex') as hash
      from heddle.chunk_revision
      where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and revision = $4
        and position >= $5
      order by position limit $6`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, revision, fromPosition, limit],
  }
}

export function listTurnSizes(
  scopes: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'turn.list_sizes',
    text: `
      select chunk_id, length(content) as size from heddle.turn
      where tenant_id = any ($1) and scope_id = any ($2) and erased_at is null
        and ($3::uuid is null or chunk_id > $3)
      order by chunk_id limit $4`,
    values: [scopes.tenantIds, scopes.scopeIds, afterId ?? null, limit],
  }
}

export function selectTurnTexts(scopes: ScopeSet, turnIds: readonly string[]): Statement {
  return {
    name: 'turn.select_texts',
    text: `
      select chunk_id, source_id, revision, content as text, encode(content_hash, 'hex') as hash
      from heddle.turn
      where tenant_id = any ($1) and scope_id = any ($2) and chunk_id = any ($3) and erased_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds, turnIds],
  }
}

/** Evidence of `scopes`, by what it cites, so that a text is read once. */
export function listEvidence(
  scopes: ScopeSet,
  after: (RevisionCursor & { readonly evidenceId: string }) | undefined,
  limit: number,
): Statement {
  return {
    name: 'evidence.list_by_source',
    text: `
      select evidence_id, source_scope_id, source_id, revision, chunk_id, start_offset, end_offset,
        encode(quote_hash, 'hex') as hash
      from heddle.evidence
      where tenant_id = any ($1) and scope_id = any ($2) and erased_at is null
        and ($3::uuid is null or (source_id, revision, evidence_id) > ($3, $4, $5::uuid))
      order by source_id, revision, evidence_id limit $6`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      after?.sourceId ?? null,
      after?.revision ?? null,
      after?.evidenceId ?? null,
      limit,
    ],
  }
}

/** How much there is to verify. */
export function countVerifiable(scopes: ScopeSet): Statement {
  return {
    name: 'evidence.count_verifiable',
    text: `
      select
        (select count(*) from heddle.source_revision r
          where r.tenant_id = any ($1) and r.scope_id = any ($2) and r.text is not null)
        + (select count(*) from heddle.turn t
          where t.tenant_id = any ($1) and t.scope_id = any ($2) and t.erased_at is null)
        + (select count(*) from heddle.evidence e
          where e.tenant_id = any ($1) and e.scope_id = any ($2) and e.erased_at is null) as total`,
    values: [scopes.tenantIds, scopes.scopeIds],
  }
}
