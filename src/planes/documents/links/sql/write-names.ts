import type { Statement } from '../../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../../identity/scope.ts'
import type { StoredName } from '../document-names.ts'

/** Marks as former what a document is not called any more. */
export function retireNames(
  scope: ScopeRef,
  sourceId: string,
  names: readonly StoredName[],
): Statement {
  return {
    name: 'source_name.retire',
    text: `
      update heddle.source_name n set until = clock_timestamp(),
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default
      where n.tenant_id = $1 and n.scope_id = $2 and n.source_id = $3 and n.until is null
        and not exists (select from json_to_recordset($4::json) as r (kind text, name text)
          where r.kind = n.kind and r.name = n.name)`,
    values: [scope.tenantId, scope.scopeId, sourceId, JSON.stringify(names)],
  }
}

/** Adds names, and makes former ones current again. */
export function upsertNames(
  scope: ScopeRef,
  sourceId: string,
  names: readonly StoredName[],
): Statement {
  return {
    name: 'source_name.upsert',
    text: `
      insert into heddle.source_name as held (tenant_id, scope_id, source_id, kind, name)
      select $1, $2, $3, r.kind, r.name from json_to_recordset($4::json) as r (kind text, name text)
      on conflict (tenant_id, scope_id, source_id, kind, name) do update set until = null,
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default
      where held.until is not null`,
    values: [scope.tenantId, scope.scopeId, sourceId, JSON.stringify(names)],
  }
}
