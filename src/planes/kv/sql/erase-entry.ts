import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** Whether an entry of that id was ever there. */
export function selectWhetherKnown(scope: ScopeRef, entryId: string): Statement {
  return {
    name: 'kv_history.select_whether_known',
    text: `
      select 1 from heddle.kv_history
      where tenant_id = $1 and scope_id = $2 and entry_id = $3
      limit 1`,
    values: [scope.tenantId, scope.scopeId, entryId],
  }
}

/** Removes a live entry by its id, expired or not; gives the bytes it held. */
export function eraseEntry(scope: ScopeRef, entryId: string): Statement {
  return {
    name: 'kv_entry.erase',
    text: `
      delete from heddle.kv_entry
      where tenant_id = $1 and scope_id = $2 and entry_id = $3
      returning bytes`,
    values: [scope.tenantId, scope.scopeId, entryId],
  }
}

/** Removes every change of an entry; gives their revisions and what a receipt keeps of their values. */
export function eraseHistory(scope: ScopeRef, entryId: string): Statement {
  return {
    name: 'kv_history.erase',
    text: `
      with gone as (
        delete from heddle.kv_history
        where tenant_id = $1 and scope_id = $2 and entry_id = $3
        returning revision, value
      )
      select count(*)::integer as changes, max(revision) as last,
        encode(heddle.keyed_hash($1, convert_to(
          coalesce(string_agg(value::text, '' order by revision), ''), 'UTF8')), 'hex') as hash
      from gone`,
    values: [scope.tenantId, scope.scopeId, entryId],
  }
}

/** Keys without a history go on above this revision from now on. */
export function raiseRevisionFloor(scope: ScopeRef, revision: number): Statement {
  return {
    name: 'kv_usage.raise_floor',
    text: `
      update heddle.kv_usage set revision_floor = greatest(revision_floor, $3)
      where tenant_id = $1 and scope_id = $2`,
    values: [scope.tenantId, scope.scopeId, revision],
  }
}
