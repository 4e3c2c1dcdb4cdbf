import type { Statement } from '../../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../../identity/scope.ts'

/** One element of the JSON array that {@link insertLinks} binds; names are column names. */
export interface LinkRow {
  readonly position: number
  readonly chunk_id: string
  readonly kind: string
  readonly target: string
  readonly label: string | null
  readonly target_name: string | null
  readonly anchor: string | null
  readonly start_offset: number
  readonly end_offset: number
}

export function deleteLinks(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'link.delete',
    text: `
      delete from heddle.link
      where tenant_id = $1 and scope_id = $2 and source_id = $3`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

export function insertLinks(
  scope: ScopeRef,
  sourceId: string,
  rows: readonly LinkRow[],
): Statement {
  return {
    name: 'link.insert',
    text: `
      insert into heddle.link (tenant_id, scope_id, source_id, position, chunk_id, kind, target, label,
        target_name, anchor, start_offset, end_offset)
      select $1, $2, $3, r.position, r.chunk_id, r.kind, r.target, r.label, r.target_name, r.anchor,
        r.start_offset, r.end_offset
      from json_to_recordset($4::json) as r (position integer, chunk_id uuid, kind text, target text,
        label text, target_name text, anchor text, start_offset integer, end_offset integer)`,
    values: [scope.tenantId, scope.scopeId, sourceId, JSON.stringify(rows)],
  }
}

/** What every link of a document says, to compute anew where it leads. */
export function selectTargets(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'link.select_targets',
    text: `
      select position, kind, target, target_name from heddle.link
      where tenant_id = $1 and scope_id = $2 and source_id = $3
      order by position`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

export function updateTargets(
  scope: ScopeRef,
  sourceId: string,
  rows: readonly { readonly position: number; readonly name: string | null }[],
): Statement {
  return {
    name: 'link.update_targets',
    text: `
      update heddle.link l set target_name = r.name,
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default
      from json_to_recordset($4::json) as r (position integer, name text)
      where l.tenant_id = $1 and l.scope_id = $2 and l.source_id = $3 and l.position = r.position`,
    values: [scope.tenantId, scope.scopeId, sourceId, JSON.stringify(rows)],
  }
}
