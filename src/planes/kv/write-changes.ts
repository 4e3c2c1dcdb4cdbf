import { HeddleError } from '../../core/errors.ts'
import type { NewId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { type ItemInput, putItems, removeItem } from '../../items/index.ts'
import type { Limits } from '../../operation/limits.ts'
import type { Change, KeyState, LiveValue, Outcome } from './change.ts'
import { entryText } from './entry-text.ts'
import { expireAll } from './expire-due.ts'
import { parseJson } from './json-value.ts'
import { type ChangePlan, type PlaceError, planChanges } from './plan.ts'
import { toKeyState, toUsage, type Usage } from './rows.ts'
import { deleteEntries } from './sql/delete-entries.ts'
import { insertHistory } from './sql/insert-history.ts'
import { lockUsage } from './sql/lock-usage.ts'
import { selectStates } from './sql/select-states.ts'
import { updateUsage } from './sql/update-usage.ts'
import { upsertEntries } from './sql/upsert-entries.ts'

export interface WriteContext {
  readonly limits: Limits
  readonly newId: NewId
  /** Says where in a list of changes an error belongs. */
  readonly placeError: PlaceError
}

/**
 * Applies changes to one scope, all or none, with their history and recall items.
 *
 * All writers of a scope take the lock of its usage row first and hold it until they commit. That
 * makes byte quotas exact, reducers atomic and deadlocks impossible; it also means that the writes
 * of one scope go one after the other.
 *
 * @throws HeddleError `REVISION_MISMATCH`, `KV_TYPE_MISMATCH`, `KV_OVERFLOW`, `KV_VALUE_TOO_LARGE`,
 * `QUOTA_EXCEEDED`.
 */
export async function writeChanges(
  tx: Transaction,
  scope: ScopeRef,
  changes: readonly Change[],
  context: WriteContext,
): Promise<readonly Outcome[]> {
  const ttls = changes.flatMap((change) => (change.op === 'set' ? (change.ttlSeconds ?? []) : []))
  const [locked] = await tx.query(lockUsage(scope, ttls))
  const usage = toUsage(locked)
  const before = await readStates(tx, scope, changes)
  const plan = planChanges(
    before,
    changes,
    toChangeContext(usage, ttls, context),
    context.placeError,
  )
  if (plan.history.length > 0) await store(tx, scope, usage, plan, context)
  return plan.outcomes
}

async function readStates(
  tx: Transaction,
  scope: ScopeRef,
  changes: readonly Change[],
): Promise<Map<string, KeyState>> {
  const keys = [...new Set(changes.map(({ key }) => key))].sort()
  const rows = await tx.query(selectStates(scope, keys))
  return new Map(rows.map(toKeyState).map((state) => [state.key, state]))
}

function toChangeContext(usage: Usage, ttls: readonly number[], { limits, newId }: WriteContext) {
  const expiries = new Map(ttls.map((ttl, index) => [ttl, usage.expiries[index]]))
  const expiryAfter = (ttl: number): Instant => {
    const at = expiries.get(ttl)
    if (at === undefined) throw new HeddleError('INTERNAL')
    return at
  }
  return { at: usage.at, expiryAfter, newId, valueBytes: limits.kvValueBytes }
}

async function store(
  tx: Transaction,
  scope: ScopeRef,
  usage: Usage,
  plan: ChangePlan,
  context: WriteContext,
): Promise<void> {
  const bytes = await withinQuota(tx, scope, usage, plan, context)
  const kept = plan.after.filter(isLive)
  const gone = plan.after.filter((state) => !isLive(state)).map(({ key }) => key)
  if (gone.length > 0) await tx.execute(deleteEntries(scope, gone))
  if (kept.length > 0) await tx.execute(upsertEntries(scope, usage.at, kept))
  await tx.execute(insertHistory(scope, plan.history))
  if (bytes !== usage.bytes) await tx.execute(updateUsage(scope, bytes))
  await projectItems(tx, scope, kept, plan)
}

/**
 * The bytes that the scope holds after the plan. What has expired does not count, so it is removed
 * before a write is refused.
 */
async function withinQuota(
  tx: Transaction,
  scope: ScopeRef,
  usage: Usage,
  { growth, after }: ChangePlan,
  { limits, placeError }: WriteContext,
): Promise<number> {
  const grown = growth.at(-1) ?? 0
  const limit = limits.kvScopeBytes
  if (grown <= 0 || usage.bytes + grown <= limit) return usage.bytes + grown
  const keys = after.map(({ key }) => key)
  const held = usage.bytes - (await expireAll(tx, scope, usage.at, keys))
  if (held + grown <= limit) return held + grown
  // The change from which on the scope never fits again is the one to blame.
  const index = growth.findLastIndex((growthSoFar) => held + growthSoFar <= limit) + 1
  const error = new HeddleError('QUOTA_EXCEEDED', {
    details: { limit, held, needed: held + grown },
  })
  throw placeError(error, index)
}

/** Recall holds the text of what can be read now, under the id of its entry. */
async function projectItems(
  tx: Transaction,
  scope: ScopeRef,
  kept: readonly LiveState[],
  { history }: ChangePlan,
): Promise<void> {
  const items = kept.flatMap((state) => toItem(state) ?? [])
  const changed = new Set<string>(history.map(({ entryId }) => entryId))
  for (const { recordId } of items) changed.delete(recordId)
  await removeItem(tx, scope, [...changed])
  await putItems(tx, scope, items)
}

type LiveState = KeyState & { readonly live: LiveValue }

function isLive(state: KeyState): state is LiveState {
  return state.live !== undefined
}

function toItem({ key, revision, live }: LiveState): ItemInput | undefined {
  const text = entryText(parseJson(live.text))
  if (text === undefined) return undefined
  const { entryId, expiresAt } = live
  return {
    kind: 'kv',
    recordId: entryId,
    title: key,
    text,
    revision,
    ...(expiresAt !== undefined && { expiresAt }),
  }
}
