import { HeddleError } from '../core/errors.ts'
import { invalidInput } from '../core/invalid-input.ts'
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
  throw invalidInput(
    ['scope'],
    'unknown_scope',
    `Unknown scope; expected one of ${SCOPE_KINDS.join(', ')}${hint}`,
  )
}

/** What a request says about scopes: its `scope`, and the `scopes` of its arguments. */
export interface AskedScopes {
  readonly scope?: ScopeKind | undefined
  readonly scopes?: readonly ScopeKind[] | undefined
}

/**
 * Decides which scopes a call reads and writes. A scope asked for without the right to it is refused,
 * never replaced by another or left out.
 *
 * @throws HeddleError `SCOPE_NOT_SERVED`, those of the rights, and `INPUT_INVALID` when `scope` and
 * `args.scopes` do not say the same.
 */
export function decideCallScopes(
  operation: AnyOperation,
  identity: Identity,
  rows: readonly ScopeRef[],
  asked: AskedScopes,
): CallScopes {
  const kinds = [...new Set(asked.scopes ?? (asked.scope === undefined ? [] : [asked.scope]))]
  assertServed(operation, [...kinds, ...(asked.scope === undefined ? [] : [asked.scope])])
  assertAgreed(asked.scope, kinds)
  return operation.access === 'read'
    ? { read: readScopes(operation, identity, rows, kinds) }
    : writeScopes(operation, identity, rows, asked.scope)
}

function assertServed(operation: AnyOperation, kinds: readonly ScopeKind[]): void {
  const outside = kinds.find((kind) => !operation.scopes.includes(kind))
  if (outside === undefined) return
  throw new HeddleError('SCOPE_NOT_SERVED', {
    details: { scope: outside, op: operation.name, served: operation.scopes },
  })
}

function assertAgreed(scope: ScopeKind | undefined, kinds: readonly ScopeKind[]): void {
  if (scope === undefined || (kinds.length === 1 && kinds[0] === scope)) return
  const message = `scope is ${scope}, but args.scopes is ${kinds.join(', ')}; give one of them`
  throw new HeddleError('INPUT_INVALID', {
    message,
    issues: [
      { path: ['scope'], code: 'scope_contradicted', message },
      { path: ['scopes'], code: 'scope_contradicted', message },
    ],
  })
}

function readScopes(
  operation: AnyOperation,
  identity: Identity,
  rows: readonly ScopeRef[],
  asked: readonly ScopeKind[],
): ScopeSet {
  for (const kind of asked) {
    const refusal = readRefusal(identity, kind)
    if (refusal) throw refusal
  }
  if (asked.length > 0) return makeScopeSet(asked.map((kind) => scopeOfKind(rows, kind)))
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
  const readable = readScopes(operation, identity, rows, [])
  return {
    read: makeScopeSet([
      target,
      ...readable.scopes.filter((ref) => ref.scopeId !== target.scopeId),
    ]),
    target,
  }
}
