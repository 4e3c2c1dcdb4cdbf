import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'

/** The place in a revision whose surroundings are asked for. */
export interface LeafPlace {
  readonly sourceId: string
  readonly revision: number
  /** UTF-16 code units. */
  readonly start: number
  readonly end: number
}

/**
 * Leaf chunks that meet the place (side 0), and the nearest `limit` before it (-1) and after it (1),
 * nearest first on each side. White space alone is left out.
 */
export function selectLeavesAround(scopes: ScopeSet, place: LeafPlace, limit: number): Statement {
  return {
    name: 'chunk_revision.select_around',
    text: `
      with leaf as (
        select chunk_id, position, start_offset, end_offset, quote_start, quote_end, token_count
        from heddle.chunk_revision
        where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and revision = $4
          and is_leaf and quote_start < quote_end
      )
      (select -1 as side, * from leaf where end_offset <= $5 order by position desc limit $7)
      union all
      (select 0, * from leaf where start_offset < $6 and end_offset > $5 order by position limit $7)
      union all
      (select 1, * from leaf where start_offset >= $6 order by position limit $7)`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      place.sourceId,
      place.revision,
      place.start,
      place.end,
      limit,
    ],
  }
}

/** Turns before (side -1) and after (1) one of a conversation, nearest first; erased ones are left out. */
export function selectTurnsAround(
  scopes: ScopeSet,
  sourceId: string,
  position: number,
  limit: number,
): Statement {
  return {
    name: 'turn.select_around',
    text: `
      with spoken as (
        select chunk_id, position, role, speaker, content from heddle.turn
        where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and erased_at is null
      )
      (select -1 as side, * from spoken where position < $4 order by position desc limit $5)
      union all
      (select 1, * from spoken where position > $4 order by position limit $5)`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, position, limit],
  }
}
