import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

/** One element of the JSON array that {@link upsertItems} binds; names are column names. */
export interface ItemRow {
  readonly record_id: string
  readonly kind: string
  readonly source_id: string | null
  readonly revision: number
  readonly title: string | null
  readonly text: string
  readonly language: string | null
  /** In the input form of `tsvector`. */
  readonly lexemes: string
  readonly word_count: number
  readonly observed_at: string | null
  readonly expires_at: string | null
  readonly type: string | null
  readonly tags: readonly string[]
  readonly path: string | null
  readonly author: string | null
  /** Hex. */
  readonly input_hash: string
}

/** All items as one JSON parameter: arrays of arrays (tags) do not survive `unnest`. */
export function upsertItems(scope: ScopeRef, rows: readonly ItemRow[]): Statement {
  return {
    name: 'item.upsert',
    text: `
      insert into heddle.recall_item as held (tenant_id, scope_id, record_id, kind, source_id, revision,
        title, text, language, lexemes, word_count, observed_at, expires_at, type, tags, path, author,
        input_hash)
      select $1, $2, r.record_id, r.kind, r.source_id, r.revision, r.title, r.text, r.language, r.lexemes,
        r.word_count, r.observed_at, r.expires_at, r.type, r.tags, r.path, r.author,
        decode(r.input_hash, 'hex')
      from json_to_recordset($3::json) as r (record_id uuid, kind text, source_id uuid, revision integer,
        title text, text text, language text, lexemes tsvector, word_count integer,
        observed_at timestamptz, expires_at timestamptz, type text, tags text[], path text, author text,
        input_hash text)
      on conflict (tenant_id, record_id) do update set
        kind = excluded.kind, source_id = excluded.source_id, revision = excluded.revision,
        title = excluded.title, text = excluded.text, language = excluded.language,
        lexemes = excluded.lexemes, word_count = excluded.word_count, observed_at = excluded.observed_at,
        expires_at = excluded.expires_at, type = excluded.type, tags = excluded.tags,
        path = excluded.path, author = excluded.author, input_hash = excluded.input_hash,
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default, updated_at = clock_timestamp()
      where held.tenant_id = $1 and held.scope_id = $2`,
    values: [scope.tenantId, scope.scopeId, JSON.stringify(rows)],
  }
}
