import type { Instant } from '../../../core/instant.ts'
import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'
import type { KeyState, LiveValue } from '../change.ts'

/** Stores entries as they are after a write. An entry that replaces another of its key starts anew. */
export function upsertEntries(
  scope: ScopeRef,
  at: Instant,
  entries: readonly (KeyState & { readonly live: LiveValue })[],
): Statement {
  return {
    name: 'kv_entry.upsert',
    text: `
      insert into heddle.kv_entry as held
        (tenant_id, scope_id, entry_id, key, value, revision, bytes, expires_at, inserted_at, updated_at)
      select $1, $2, n.entry_id, n.key, n.value::json, n.revision, n.bytes, n.expires_at, $3, $3
      from unnest($4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::integer[], $9::timestamptz[])
        as n (entry_id, key, value, revision, bytes, expires_at)
      on conflict (tenant_id, scope_id, key) do update set
        entry_id = excluded.entry_id,
        value = excluded.value,
        revision = excluded.revision,
        bytes = excluded.bytes,
        expires_at = excluded.expires_at,
        inserted_at = case when held.entry_id = excluded.entry_id then held.inserted_at else excluded.inserted_at end,
        updated_at = excluded.updated_at,
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default`,
    values: [
      scope.tenantId,
      scope.scopeId,
      at,
      entries.map(({ live }) => live.entryId),
      entries.map(({ key }) => key),
      entries.map(({ live }) => live.text),
      entries.map(({ revision }) => revision),
      entries.map(({ live }) => live.bytes),
      entries.map(({ live }) => live.expiresAt ?? null),
    ],
  }
}
