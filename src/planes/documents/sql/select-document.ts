import type { Statement } from '../../../engines/postgres/statement.ts'
import { SOURCE_COLUMNS } from '../../../evidence/index.ts'
import type { ScopeRef } from '../../../identity/scope.ts'
import type { DocumentName } from '../find-document.ts'

/** The live document of that id or path in one scope, with what only changes of it need. */
export function selectDocument(scope: ScopeRef, { id, path }: DocumentName): Statement {
  return {
    name: id === undefined ? 'document.select_by_path' : 'document.select',
    text: `
      select ${SOURCE_COLUMNS}, given_fields, chunk_tokens from heddle.source
      where tenant_id = $1 and scope_id = $2 and ${id === undefined ? 'path' : 'source_id'} = $3
        and kind = 'document' and deleted_at is null`,
    values: [scope.tenantId, scope.scopeId, id ?? path ?? null],
  }
}

/** The same by id, locked: whoever changes the document next waits. */
export function lockDocument(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'document.lock',
    text: `
      select ${SOURCE_COLUMNS}, given_fields, chunk_tokens from heddle.source
      where tenant_id = $1 and scope_id = $2 and source_id = $3 and kind = 'document' and deleted_at is null
      for update`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}
