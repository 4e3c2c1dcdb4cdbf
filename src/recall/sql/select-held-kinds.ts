import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'
import type { ItemKind } from '../../items/index.ts'

/** Those of the given kinds of which the scopes hold at least one item. */
export function selectHeldKinds(scopes: ScopeSet, kinds: readonly ItemKind[]): Statement {
  return {
    name: 'item.held_kinds',
    text: `
      select k.kind from unnest($3::text[]) as k (kind)
      where exists (select from heddle.recall_item i
        where i.tenant_id = any ($1) and i.scope_id = any ($2) and i.kind = k.kind)`,
    values: [scopes.tenantIds, scopes.scopeIds, kinds],
  }
}
