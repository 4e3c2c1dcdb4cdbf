import type { Statement } from '../../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../../identity/scope.ts'

const LINK_COLUMNS = `
  l.source_id, l.scope_id, l.position, l.chunk_id, l.kind, l.target, l.label, l.target_name, l.anchor,
  l.start_offset, l.end_offset`

/** Links that stand in one document, in its order. */
export function selectLinksOf(
  scopes: ScopeSet,
  sourceId: string,
  after: number | undefined,
  limit: number,
): Statement {
  return {
    name: 'link.select_of_source',
    text: `
      select ${LINK_COLUMNS} from heddle.link l
      where l.tenant_id = any ($1) and l.scope_id = any ($2) and l.source_id = $3
        and ($4::integer is null or l.position > $4)
      order by l.position limit $5`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, after ?? null, limit],
  }
}

export function countLinksOf(scopes: ScopeSet, sourceId: string): Statement {
  return {
    name: 'link.count_of_source',
    text: `
      select count(*)::integer as total from heddle.link l
      where l.tenant_id = any ($1) and l.scope_id = any ($2) and l.source_id = $3`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId],
  }
}

/** A place in the order of {@link selectLinksTo}. */
export interface LinkPlace {
  readonly sourceId: string
  readonly position: number
}

/** Links, from anywhere in the scopes, that look for one of the names. */
export function selectLinksTo(
  scopes: ScopeSet,
  names: { readonly paths: readonly string[]; readonly folded: readonly string[] },
  after: LinkPlace | undefined,
  limit: number,
): Statement {
  return {
    name: 'link.select_to_names',
    text: `
      select ${LINK_COLUMNS}, s.path, s.title from heddle.link l
      join heddle.source s on s.tenant_id = l.tenant_id and s.source_id = l.source_id
      where l.tenant_id = any ($1) and l.scope_id = any ($2)
        and s.tenant_id = any ($1) and s.scope_id = any ($2) and s.deleted_at is null
        and l.target_name = any ($3::text[] || $4::text[])
        and l.target_name = any (case when l.kind = 'wiki' then $4::text[] else $3::text[] end)
        and ($5::uuid is null or (l.source_id, l.position) > ($5, $6::integer))
      order by l.source_id, l.position limit $7`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      names.paths,
      names.folded,
      after?.sourceId ?? null,
      after?.position ?? null,
      limit,
    ],
  }
}
