import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/**
 * Takes the lock under which everything of a scope is written, and returns the bytes it holds, the
 * moment, and for each of `ttlSeconds` the moment that many seconds later. Being an upsert it also
 * settles the race of two first writers, and reads the clock after it has waited.
 */
export function lockUsage(scope: ScopeRef, ttlSeconds: readonly number[]): Statement {
  return {
    name: 'kv_usage.lock',
    text: `
      insert into heddle.kv_usage as held (tenant_id, scope_id) values ($1, $2)
      on conflict (tenant_id, scope_id) do update
        set updated_at = greatest(clock_timestamp(), held.updated_at)
      returning held.bytes, heddle.instant(held.updated_at) as at,
        (select coalesce(json_agg(heddle.instant(held.updated_at + make_interval(secs => t.ttl)) order by t.place), '[]')
          from unnest($3::integer[]) with ordinality as t (ttl, place)) as expiries`,
    values: [scope.tenantId, scope.scopeId, ttlSeconds],
  }
}
