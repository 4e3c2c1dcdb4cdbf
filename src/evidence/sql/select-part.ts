import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'

/** The source that a chunk or turn is part of. */
export function selectSourceOfPart(scopes: ScopeSet, partId: string): Statement {
  return {
    name: 'source.select_of_part',
    text: `
      select source_id from heddle.chunk
      where tenant_id = any ($1) and scope_id = any ($2) and chunk_id = $3
      union all
      select source_id from heddle.turn
      where tenant_id = any ($1) and scope_id = any ($2) and chunk_id = $3`,
    values: [scopes.tenantIds, scopes.scopeIds, partId],
  }
}

/** A turn that was not erased. */
export function selectTurnText(scopes: ScopeSet, turnId: string): Statement {
  return {
    name: 'turn.select_text',
    text: `
      select source_id, revision, position, content from heddle.turn
      where tenant_id = any ($1) and scope_id = any ($2) and chunk_id = $3 and erased_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds, turnId],
  }
}

/** Where a chunk lies in one revision; without one, in the newest that has it. */
export function selectChunkPlace(
  scopes: ScopeSet,
  chunkId: string,
  revision: number | undefined,
): Statement {
  return {
    name: 'chunk_revision.select_place',
    text: `
      select source_id, revision, start_offset, end_offset from heddle.chunk_revision
      where tenant_id = any ($1) and scope_id = any ($2) and chunk_id = $3
        and ($4::integer is null or revision = $4)
      order by revision desc limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, chunkId, revision ?? null],
  }
}

/** The leaf chunks of one revision in order: ids and spans. */
export function selectLeaves(scopes: ScopeSet, sourceId: string, revision: number): Statement {
  return {
    name: 'chunk_revision.select_leaves',
    text: `
      select chunk_id, start_offset, end_offset from heddle.chunk_revision
      where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and revision = $4 and is_leaf
      order by position`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, revision],
  }
}
