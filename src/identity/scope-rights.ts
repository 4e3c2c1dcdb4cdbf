import { HeddleError } from '../core/errors.ts'
import type { Identity } from './identity.ts'
import type { ScopeKind, ScopeRef } from './scope.ts'
import { SYSTEM_TENANT_ID } from './system-tenant.ts'

/** The scope a write goes to when none was asked for: `user` when the identity has a user, else `agent`. */
export function narrowestScope(identity: Identity): ScopeKind {
  return identity.user === undefined ? 'agent' : 'user'
}

/**
 * Whether an identity may read a scope kind, as the error that refuses it or undefined. The order of
 * the checks decides which code a caller sees: what it lacks, then isolation, then grants.
 */
export function readRefusal(identity: Identity, kind: ScopeKind): HeddleError | undefined {
  const basic = basicRefusal(identity, kind)
  if (basic) return basic
  if (kind === 'tenant' || kind === 'global') {
    const held = identity.grants.some(
      (grant) => grant === `${kind}:read` || grant === `${kind}:write`,
    )
    if (!held) return notGranted(kind, `${kind}:read`)
  }
  return undefined
}

/** Whether an identity may write a scope kind, as the error that refuses it or undefined. */
export function writeRefusal(identity: Identity, kind: ScopeKind): HeddleError | undefined {
  const basic = basicRefusal(identity, kind)
  if (basic) return basic
  if (kind === 'agent' && identity.user !== undefined && !identity.grants.includes('agent:write')) {
    return notGranted(kind, 'agent:write')
  }
  if (kind === 'tenant' && !identity.grants.includes('tenant:write')) {
    return notGranted(kind, 'tenant:write')
  }
  if (kind === 'global') {
    const isSystemAdmin = identity.tenantId === SYSTEM_TENANT_ID && identity.role === 'admin'
    if (!isSystemAdmin || !identity.grants.includes('global:write'))
      return notGranted(kind, 'global:write')
  }
  return undefined
}

function basicRefusal(identity: Identity, kind: ScopeKind): HeddleError | undefined {
  if (kind === 'run' && identity.runId === undefined) return new HeddleError('SCOPE_NO_RUN')
  if (kind === 'user' && identity.user === undefined) return new HeddleError('SCOPE_NO_USER')
  if (identity.isolated && kind !== 'run' && kind !== narrowestScope(identity)) {
    return new HeddleError('SCOPE_ISOLATED', { details: { scope: kind } })
  }
  return undefined
}

function notGranted(kind: ScopeKind, grant: string): HeddleError {
  return new HeddleError('SCOPE_NOT_GRANTED', { details: { scope: kind, grant } })
}

/** Picks one scope of a kind out of the resolved rows. */
export function scopeOfKind(rows: readonly ScopeRef[], kind: ScopeKind): ScopeRef {
  const found = rows.find((row) => row.kind === kind)
  if (found === undefined) throw new HeddleError('CREDENTIAL_INVALID')
  return found
}
