import { HeddleError } from '../core/errors.ts'
import type { ScopeId, TenantId } from '../core/ids.ts'

/** Whose data. Ordered `run` < `agent`, `user` < `tenant` < `global`; `agent` and `user` are incomparable. */
export type ScopeKind = 'run' | 'user' | 'agent' | 'tenant' | 'global'

/** From narrow to wide: the order in which a read that folds scopes looks for one record. */
export const SCOPE_KINDS = [
  'run',
  'user',
  'agent',
  'tenant',
  'global',
] as const satisfies ScopeKind[]

/** One row of table `scope`. */
export interface ScopeRef {
  readonly kind: ScopeKind
  readonly tenantId: TenantId
  readonly scopeId: ScopeId
}

/** The scopes one call may touch, from narrow to wide. Passed explicitly, never ambient. */
export interface ScopeSet {
  readonly scopes: readonly ScopeRef[]
  /** Distinct tenants of `scopes`: the first parameter of nearly every statement. */
  readonly tenantIds: readonly TenantId[]
  readonly scopeIds: readonly ScopeId[]
}

export function makeScopeSet(scopes: readonly ScopeRef[]): ScopeSet {
  const sorted = [...scopes].sort(
    (a, b) => SCOPE_KINDS.indexOf(a.kind) - SCOPE_KINDS.indexOf(b.kind),
  )
  return Object.freeze({
    scopes: Object.freeze(sorted),
    tenantIds: Object.freeze([...new Set(sorted.map((scope) => scope.tenantId))]),
    scopeIds: Object.freeze(sorted.map((scope) => scope.scopeId)),
  })
}

export const NO_SCOPES: ScopeSet = makeScopeSet([])

/**
 * The kind of a scope id that a statement over `set` gave back; rows carry ids, replies name kinds.
 *
 * @throws HeddleError `INTERNAL` when the row is from outside the set: it must not be shown.
 */
export function getScopeKind(set: ScopeSet, scopeId: string): ScopeKind {
  const found = set.scopes.find((scope) => scope.scopeId === scopeId)
  if (found === undefined)
    throw new HeddleError('INTERNAL', { details: { rule: 'row_outside_scopes' } })
  return found.kind
}
