import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** The conversation of a turn that was not erased. */
export function selectConversationOfTurn(scope: ScopeRef, turnId: string): Statement {
  return {
    name: 'turn.select_conversation',
    text: `
      select source_id from heddle.turn
      where tenant_id = $1 and scope_id = $2 and chunk_id = $3 and erased_at is null`,
    values: [scope.tenantId, scope.scopeId, turnId],
  }
}

/** What a receipt keeps of a turn. */
export function selectTurnKeyedHash(scope: ScopeRef, turnId: string): Statement {
  return {
    name: 'turn.select_keyed_hash',
    text: `
      select encode(heddle.keyed_hash($1, content_hash), 'hex') as hash from heddle.turn
      where tenant_id = $1 and scope_id = $2 and chunk_id = $3 and erased_at is null`,
    values: [scope.tenantId, scope.scopeId, turnId],
  }
}

/** Empties a turn. Its key, under the tenant's key, still keeps a transcript that is sent again from bringing it back. */
export function eraseTurn(scope: ScopeRef, turnId: string): Statement {
  return {
    name: 'turn.erase',
    text: `
      update heddle.turn set content = null, content_hash = null, speaker = null, tool = null,
        key = 'erased:' || encode(heddle.keyed_hash($1, convert_to(key, 'UTF8')), 'hex'),
        erased_at = clock_timestamp()
      where tenant_id = $1 and scope_id = $2 and chunk_id = $3 and erased_at is null`,
    values: [scope.tenantId, scope.scopeId, turnId],
  }
}

/** The source of a chunk, whether or not either is in retrieval. */
export function selectSourceOfChunk(scope: ScopeRef, chunkId: string): Statement {
  return {
    name: 'chunk.select_source',
    text: `
      select source_id from heddle.chunk
      where tenant_id = $1 and scope_id = $2 and chunk_id = $3`,
    values: [scope.tenantId, scope.scopeId, chunkId],
  }
}
