import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

export interface TagFilter {
  /** Beginning of the tag. */
  readonly prefix?: string | undefined
  /** Only below this path, when it ends with a slash; else only this document. */
  readonly path?: string | undefined
}

const FROM_TAGS = `
  from heddle.source s cross join lateral unnest(s.tags) as t (tag)
  where s.tenant_id = any ($1) and s.scope_id = any ($2) and s.kind = 'document' and s.deleted_at is null
    and ($3::text is null or starts_with(t.tag, $3))
    and ($4::text is null or s.path = $4 or (right($4, 1) = '/' and starts_with(s.path, $4)))`

/** Tags in the order of their code points, each with the number of documents that have it. */
export function selectTags(
  scopes: ScopeSet,
  { prefix, path }: TagFilter,
  after: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'source.select_tags',
    text: `
      select t.tag collate "C" as tag, count(distinct s.source_id)::integer as documents ${FROM_TAGS}
        and ($5::text is null or t.tag collate "C" > $5)
      group by t.tag collate "C" order by t.tag collate "C" limit $6`,
    values: [scopes.tenantIds, scopes.scopeIds, prefix ?? null, path ?? null, after ?? null, limit],
  }
}

export function countTags(scopes: ScopeSet, { prefix, path }: TagFilter): Statement {
  return {
    name: 'source.count_tags',
    text: `select count(distinct t.tag)::integer as total ${FROM_TAGS}`,
    values: [scopes.tenantIds, scopes.scopeIds, prefix ?? null, path ?? null],
  }
}
