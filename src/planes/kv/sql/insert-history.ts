import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'
import type { HistoryRow } from '../change.ts'

/** Appends changes to the history. */
export function insertHistory(scope: ScopeRef, rows: readonly HistoryRow[]): Statement {
  return {
    name: 'kv_history.insert',
    text: `
      insert into heddle.kv_history
        (tenant_id, scope_id, key, revision, entry_id, op, value, expires_at, changed_at)
      select $1, $2, n.key, n.revision, n.entry_id, n.op, n.value::json, n.expires_at, n.changed_at
      from unnest($3::text[], $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[])
        as n (key, revision, entry_id, op, value, expires_at, changed_at)`,
    values: [
      scope.tenantId,
      scope.scopeId,
      rows.map(({ key }) => key),
      rows.map(({ revision }) => revision),
      rows.map(({ entryId }) => entryId),
      rows.map(({ op }) => op),
      rows.map(({ text }) => text ?? null),
      rows.map(({ expiresAt }) => expiresAt ?? null),
      rows.map(({ changedAt }) => changedAt),
    ],
  }
}
