import type { PostgresEngine } from '../../../src/engines/postgres/engine.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import { makeScopeSet, type ScopeKind, type ScopeRef } from '../../../src/identity/scope.ts'
import type { Limits } from '../../../src/operation/limits.ts'
import { makeProvenance } from '../../../src/provenance/provenance.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER, type TestHeddle } from '../../support/heddle.ts'

/** The same as properties, so that tests may take it apart. */
export interface KvHeddle {
  readonly deps: TestHeddle['deps']
  readonly identity: TestHeddle['identity']
  readonly reply: TestHeddle['reply']
  readonly call: TestHeddle['call']
  readonly fail: TestHeddle['fail']
}

/** Runs the suite with the router over every engine. */
export function describeKv(
  title: string,
  suite: (kv: (limits?: Partial<Limits>) => KvHeddle) => void,
): void {
  describeEngines(title, (engine) => {
    suite((limits) => makeTestHeddle(engine(), limits))
  })
}

/** The row of one of an identity's scopes. */
export async function scopeOf(
  engine: PostgresEngine,
  identity: Identity,
  kind: ScopeKind,
): Promise<ScopeRef> {
  const rows = await resolveScopes(engine, identity, NEVER)
  const found = rows.find((scope) => scope.kind === kind)
  if (found === undefined) throw new Error(`no scope ${kind}`)
  return found
}

/** Moves the expiry of the entries of a scope into the past, as if the time had gone by. */
export async function expireNow(
  engine: PostgresEngine,
  identity: Identity,
  kind: ScopeKind,
): Promise<void> {
  const scope = await scopeOf(engine, identity, kind)
  const only = makeScopeSet([scope])
  const access = { read: only, write: only, provenance: makeProvenance(identity) }
  await engine.withTransaction(access, {}, (tx) =>
    tx.execute({
      name: 'test.expire',
      text: `update heddle.kv_entry set expires_at = clock_timestamp() - interval '1 microsecond'
        where tenant_id = $1 and scope_id = $2 and expires_at is not null`,
      values: [scope.tenantId, scope.scopeId],
    }),
  )
}

/** Rows that the serving role sees of one scope in a table of contents. */
export async function countRows(
  engine: PostgresEngine,
  identity: Identity,
  kind: ScopeKind,
  table: 'kv_entry' | 'kv_history' | 'kv_usage' | 'recall_item',
): Promise<number> {
  const scope = await scopeOf(engine, identity, kind)
  const access = { read: makeScopeSet([scope]), write: makeScopeSet([]) }
  const [row] = await engine.withTransaction(access, {}, (tx) =>
    tx.query({
      name: 'test.count',
      text: `select count(*)::integer as total from heddle.${table} where scope_id = $1`,
      values: [scope.scopeId],
    }),
  )
  return Number(row?.['total'])
}

/** The bytes that the plane has on its account for a scope. */
export async function accountedBytes(
  engine: PostgresEngine,
  identity: Identity,
  kind: ScopeKind,
): Promise<number> {
  const scope = await scopeOf(engine, identity, kind)
  const access = { read: makeScopeSet([scope]), write: makeScopeSet([]) }
  const [row] = await engine.withTransaction(access, {}, (tx) =>
    tx.query({
      name: 'test.bytes',
      text: 'select bytes::integer as bytes from heddle.kv_usage where scope_id = $1',
      values: [scope.scopeId],
    }),
  )
  return Number(row?.['bytes'] ?? 0)
}
