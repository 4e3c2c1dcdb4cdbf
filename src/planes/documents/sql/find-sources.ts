import type { Statement, StatementValue } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

/** What a source must meet; what is absent does not narrow. */
export interface SourceFilter {
  readonly kind: string
  /** One path, or with a slash at its end all below it. */
  readonly path?: string | undefined
  /** Regular expression over the path. */
  readonly pathPattern?: string | undefined
  readonly type?: string | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  /** Front matter: the field is the value, or a list that has it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** A place in the order of {@link findSources}. */
export interface SourcePlace {
  readonly address: string
  readonly sourceId: string
}

/** What sources are ordered by: of a document the path, of a conversation the name. */
const ADDRESS = `coalesce(s.path, s.name, '') collate "C"`

/** {@link SourceFilter} over parameters 3 to 8. */
const MEETS_FILTER = `
    s.deleted_at is null and s.kind = $3
    and ($4::text is null or s.path = $4 or (right($4, 1) = '/' and starts_with(s.path, $4)))
    and ($5::text is null or s.path ~ $5)
    and ($6::text is null or s.type = $6)
    and ($7::text[] is null or s.tags @> $7)
    and ($8::jsonb is null or (s.fields is not null and not exists (
      select from jsonb_each($8::jsonb) as f (name, value)
      where not coalesce(s.fields::jsonb -> f.name @> f.value, false))))`

function filterValues(filter: SourceFilter): readonly StatementValue[] {
  const { kind, path, pathPattern, type, tags, fields } = filter
  return [
    kind,
    path ?? null,
    pathPattern ?? null,
    type ?? null,
    tags ?? null,
    fields === undefined ? null : JSON.stringify(fields),
  ]
}

/**
 * Sources that meet the filter, by address and id, so that one page goes on where the other ended
 * whatever was written between them.
 */
export function findSources(
  scopes: ScopeSet,
  filter: SourceFilter,
  after: SourcePlace | undefined,
  limit: number,
): Statement {
  return {
    name: 'source.find',
    text: `
      select s.source_id, s.scope_id, s.path, s.name, s.title, s.type, s.tags, s.fields::jsonb ->> 'status' as status,
        s.revision, ${ADDRESS} as address, heddle.instant(s.observed_at) as observed_at,
        heddle.instant(s.inserted_at) as inserted_at, heddle.instant(s.updated_at) as updated_at
      from heddle.source s
      where s.tenant_id = any ($1) and s.scope_id = any ($2) and ${MEETS_FILTER}
        and ($9::text is null or (${ADDRESS}, s.source_id) > ($9 collate "C", $10::uuid))
      order by ${ADDRESS}, s.source_id limit $11`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      ...filterValues(filter),
      after?.address ?? null,
      after?.sourceId ?? null,
      limit,
    ],
  }
}

export function countFound(scopes: ScopeSet, filter: SourceFilter): Statement {
  return {
    name: 'source.count_found',
    text: `
      select count(*)::integer as total from heddle.source s
      where s.tenant_id = any ($1) and s.scope_id = any ($2) and ${MEETS_FILTER}`,
    values: [scopes.tenantIds, scopes.scopeIds, ...filterValues(filter)],
  }
}
