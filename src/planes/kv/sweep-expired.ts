import type { PostgresEngine, Transaction } from '../../engines/postgres/engine.ts'
import { makeScopeSet, type ScopeRef } from '../../identity/scope.ts'
import type { Provenance } from '../../provenance/provenance.ts'
import { expireSome } from './expire-due.ts'
import { toScopeRef, toUsage } from './rows.ts'
import { lockUsage } from './sql/lock-usage.ts'
import { selectExpiredScopes } from './sql/select-expired-scopes.ts'
import { updateUsage } from './sql/update-usage.ts'

/** Nobody's doing: replies never show who swept. */
const SWEEPER: Provenance = Object.freeze({ agent: 'heddle', origin: 'operator' })

/**
 * Removes entries whose time has run out, with their recall items, and notes it in their history.
 * The dispatch role finds the scopes; each is then cleaned by the serving role, in transactions of
 * its own, for at most `maxScopes` scopes. Returns how many entries went. Readers do not depend on it: what has expired is invisible
 * at once.
 *
 * @throws the first failure, after the other scopes have been looked after.
 */
export async function sweepExpiredKv(
  engine: PostgresEngine,
  maxScopes: number,
  signal: AbortSignal,
): Promise<number> {
  const rows = await engine.withDispatch({ signal }, (tx) =>
    tx.query(selectExpiredScopes(maxScopes)),
  )
  const failures: unknown[] = []
  let swept = 0
  for (const scope of rows.map(toScopeRef)) {
    try {
      swept += await sweepScope(engine, scope, signal)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return swept
}

async function sweepScope(
  engine: PostgresEngine,
  scope: ScopeRef,
  signal: AbortSignal,
): Promise<number> {
  const scopes = makeScopeSet([scope])
  const access = { read: scopes, write: scopes, provenance: SWEEPER }
  let swept = 0
  for (;;) {
    const { entries, isDone } = await engine.withTransaction(access, { signal }, (tx) =>
      sweepSome(tx, scope),
    )
    swept += entries
    if (isDone) return swept
  }
}

async function sweepSome(tx: Transaction, scope: ScopeRef) {
  const [locked] = await tx.query(lockUsage(scope, []))
  const usage = toUsage(locked)
  const expired = await expireSome(tx, scope, usage.at)
  await tx.execute(updateUsage(scope, usage.bytes - expired.bytes))
  return expired
}
