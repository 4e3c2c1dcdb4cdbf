import { HeddleError } from '../core/errors.ts'
import { findNearest } from '../core/nearest.ts'
import type { Identity } from '../identity/identity.ts'
import {
  makeScopeSet,
  SCOPE_KINDS,
  type ScopeKind,
  type ScopeRef,
  type ScopeSet,
} from '../identity/scope.ts'
import { narrowestScope, readRefusal, scopeOfKind, writeRefusal } from '../identity/scope-rights.ts'
import type { AnyOperation } from '../operation/definition.ts'

export interface CallScopes {
  readonly read: ScopeSet
  /** The one scope that a write goes to. */
  readonly target?: ScopeRef
}

/** Reads the `scope` field of a request. */
export function parseScopeKind(asked: string): ScopeKind {
  const kind = SCOPE_KINDS.find((known) => known === asked)
  if (kind !== undefined) return kind
  const nearest = findNearest(asked, SCOPE_KINDS)
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  const message = `Unknown scope; expected one of ${SCOPE_KINDS.join(', ')}${hint}`
  throw new HeddleError('INPUT_INVALID', {
    message: `scope: ${message}`,
    issues: [{ path: ['scope'], code: 'unknown_scope', message }],
  })
}

/**
 * Decides which scopes a call reads and writes. A scope asked for without the right to it is refused,
 * never replaced by another.
 */
export function decideCallScopes(
  operation: AnyOperation,
  identity: Identity,
  rows: readonly ScopeRef[],
  asked: ScopeKind | undefined,
): CallScopes {
  if (asked !== undefined && !operation.scopes.includes(asked)) {
    throw new HeddleError('SCOPE_NOT_SERVED', {
      details: { scope: asked, op: operation.name, served: operation.scopes },
    })
  }
  return operation.access === 'read'
    ? { read: readScopes(operation, identity, rows, asked) }
    : writeScopes(operation, identity, rows, asked)
}

function readScopes(
  operation: AnyOperation,
  identity: Identity,
  rows: readonly ScopeRef[],
  asked: ScopeKind | undefined,
): ScopeSet {
  if (asked !== undefined) {
    const refusal = readRefusal(identity, asked)
    if (refusal) throw refusal
    return makeScopeSet([scopeOfKind(rows, asked)])
  }
  const kinds = operation.scopes.filter((kind) => readRefusal(identity, kind) === undefined)
  return makeScopeSet(kinds.map((kind) => scopeOfKind(rows, kind)))
}

function writeScopes(
  operation: AnyOperation,
  identity: Identity,
  rows: readonly ScopeRef[],
  asked: ScopeKind | undefined,
): CallScopes {
  const kind = asked ?? narrowestScope(identity)
  const refusal = writeRefusal(identity, kind)
  if (refusal) throw refusal
  const target = scopeOfKind(rows, kind)
  const readable = readScopes(operation, identity, rows, undefined)
  return {
    read: makeScopeSet([
      target,
      ...readable.scopes.filter((ref) => ref.scopeId !== target.scopeId),
    ]),
    target,
  }
}
