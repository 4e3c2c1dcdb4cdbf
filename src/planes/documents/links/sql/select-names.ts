import type { Statement } from '../../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../../identity/scope.ts'

/** Documents that are looked at for one name: enough to show that it is ambiguous. */
const HOLDERS_PER_NAME = 50

/** A name that a link looks for. */
export interface WantedName {
  readonly name: string
  /** True for a path, false for a folded name. */
  readonly isPath: boolean
}

/**
 * Who is, or was, called so: for each name first who is, then the narrowest scope, then who was last.
 * `favouriteId` is among them whenever it has the name.
 */
export function selectNameHolders(
  scopes: ScopeSet,
  wanted: readonly WantedName[],
  favouriteId: string | undefined,
): Statement {
  return {
    name: 'source_name.select_holders',
    text: `
      select h.kind, h.name, h.is_former, h.source_id, h.scope_id, h.path, h.title
      from unnest($3::text[], $4::boolean[]) as w (name, is_path)
      cross join lateral (
        select n.kind, n.name, n.until is not null as is_former, n.source_id, n.scope_id, s.path, s.title
        from heddle.source_name n
        join heddle.source s on s.tenant_id = n.tenant_id and s.source_id = n.source_id
        where n.tenant_id = any ($1) and n.scope_id = any ($2) and n.name = w.name
          and (n.kind = 'path') = w.is_path
          and s.tenant_id = any ($1) and s.scope_id = any ($2) and s.deleted_at is null
        order by n.until is not null, n.source_id is not distinct from $5::uuid desc,
          array_position($2::uuid[], n.scope_id), n.until desc, n.source_id
        limit ${HOLDERS_PER_NAME}
      ) h`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      wanted.map(({ name }) => name),
      wanted.map(({ isPath }) => isPath),
      favouriteId ?? null,
    ],
  }
}

/** Everything that one document is, or was, called; newest former names first. */
export function selectNamesOf(scopes: ScopeSet, sourceId: string): Statement {
  return {
    name: 'source_name.select_of_source',
    text: `
      select n.kind, n.name, heddle.instant(n.until) as until from heddle.source_name n
      where n.tenant_id = any ($1) and n.scope_id = any ($2) and n.source_id = $3
      order by n.until desc nulls first, n.kind, n.name`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId],
  }
}
