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
 * The scope of an id that a statement over `set` gave back.
 *
 * @throws HeddleError `INTERNAL` when the row is from outside the set: it must not be shown.
 */
export function scopeOfId(set: ScopeSet, scopeId: string): ScopeRef {
  const found = set.scopes.find((scope) => scope.scopeId === scopeId)
  if (found === undefined)
    throw new HeddleError('INTERNAL', { details: { rule: 'row_outside_scopes' } })
  return found
}

/** How far a scope reaches; `user` and `agent` reach equally far and do not contain each other. */
const REACH: Readonly<Record<ScopeKind, number>> = {
  run: 0,
  user: 1,
  agent: 1,
  tenant: 2,
  global: 3,
}

/** Whether everybody who reads `narrow` reads `wide` too. Both belong to one identity. */
export function isSameOrWiderScope(wide: ScopeRef, narrow: ScopeRef): boolean {
  return wide.scopeId === narrow.scopeId || REACH[wide.kind] > REACH[narrow.kind]
}

/**
 * The kind of a scope id that a statement over `set` gave back; rows carry ids, replies name kinds.
 *
 * @throws HeddleError `INTERNAL` when the row is from outside the set: it must not be shown.
 */
export function getScopeKind(set: ScopeSet, scopeId: string): ScopeKind {
  return scopeOfId(set, scopeId).kind
}
