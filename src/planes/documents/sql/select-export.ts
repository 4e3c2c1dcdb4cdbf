import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

/** Turns of one page of an export. */
const MAX_TURNS = 10_000

/** A live conversation of that name; of several the one in the narrowest scope. */
export function selectConversation(scopes: ScopeSet, name: string): Statement {
  return {
    name: 'source.select_conversation',
    text: `
      select s.source_id from heddle.source s
      where s.tenant_id = any ($1) and s.scope_id = any ($2) and s.kind = 'conversation' and s.name = $3
        and s.deleted_at is null
      order by array_position($2::uuid[], s.scope_id) limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, name],
  }
}

export interface TurnWindow {
  /** The newest revision whose turns count. */
  readonly revision: number
  readonly withTools: boolean
  /** Position of the last turn of the page before. */
  readonly after?: number | undefined
  /** Characters after which no further turn is begun. */
  readonly maxLength: number
}

/** Turns of one conversation in order, as many as fit; `last` is the position of the last one there is. */
export function selectTurnsOf(
  scopes: ScopeSet,
  sourceId: string,
  { revision, withTools, after, maxLength }: TurnWindow,
): Statement {
  return {
    name: 'turn.select_of_source',
    text: `
      select w.position, w.role, w.speaker, w.content, w.tool, w.observed_at, w.last
      from (
        select t.position, t.role, t.speaker, t.content, t.tool, heddle.instant(t.observed_at) as observed_at,
          max(t.position) over () as last,
          coalesce(sum(length(t.content) + coalesce(length(t.tool::text), 0)) over
            (order by t.position rows between unbounded preceding and 1 preceding), 0) as before
        from heddle.turn t
        where t.tenant_id = any ($1) and t.scope_id = any ($2) and t.source_id = $3 and t.revision <= $4
          and t.erased_at is null and ($5 or not t.is_tool) and ($6::integer is null or t.position > $6)
      ) w
      where w.before < $7
      order by w.position limit ${MAX_TURNS}`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      sourceId,
      revision,
      withTools,
      after ?? null,
      maxLength,
    ],
  }
}

/** Where a chunk lies in one revision, or in the newest that has it. */
export function selectChunkSpan(
  scopes: ScopeSet,
  chunkId: string,
  revision: number | undefined,
): Statement {
  return {
    name: 'chunk_revision.select_span',
    text: `
      select r.source_id, r.revision, r.start_offset, r.end_offset
      from heddle.chunk_revision r
      join heddle.source s on s.tenant_id = r.tenant_id and s.source_id = r.source_id
      where r.tenant_id = any ($1) and r.scope_id = any ($2) and r.chunk_id = $3
        and ($4::integer is null or r.revision = $4)
        and s.tenant_id = any ($1) and s.scope_id = any ($2) and s.deleted_at is null
      order by r.revision desc limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, chunkId, revision ?? null],
  }
}
