import type { Statement } from '../../engines/postgres/statement.ts'

/** Every scope that may hold sources, tenant by tenant. For the dispatch role. */
export function listSourceScopes(): Statement {
  return {
    name: 'scope.list_for_sources',
    text: `
      select tenant_id, scope_id, kind from heddle.scope
      where kind <> 'run'
      order by tenant_id, scope_id`,
    values: [],
  }
}
