import { HeddleError } from '../../core/errors.ts'
import type { KvEntryId, NewId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { type JsonObject, type JsonValue, parseJson } from './json-value.ts'
import { appendedUnique, incremented, merged, pushedBounded } from './reducers.ts'

/** What a caller may do to a key. */
export const CHANGE_OPS = [
  'set',
  'delete',
  'incr',
  'merge',
  'append_unique',
  'push_bounded',
] as const

export type ChangeOp = (typeof CHANGE_OPS)[number]

interface OnKey {
  readonly key: string
  /** The revision that the entry must have; 0: there must be none. */
  readonly ifRevision?: number | undefined
}

export type Change = OnKey &
  (
    | { readonly op: 'set'; readonly value: JsonValue; readonly ttlSeconds?: number | undefined }
    | { readonly op: 'delete' }
    | { readonly op: 'incr'; readonly by: number; readonly initial: number }
    | { readonly op: 'merge'; readonly patch: JsonObject }
    | { readonly op: 'append_unique'; readonly items: readonly JsonValue[] }
    | { readonly op: 'push_bounded'; readonly items: readonly JsonValue[]; readonly max: number }
  )

/** A stored value that can be read now. */
export interface LiveValue {
  readonly entryId: KvEntryId
  /** JSON text. */
  readonly text: string
  /** UTF-8 bytes of key and text. */
  readonly bytes: number
  readonly expiresAt?: Instant | undefined
}

/** What is known of one key under the scope's lock. */
export interface KeyState {
  readonly key: string
  /** The last revision the key ever had, deletions and expiries included; 0 when it never had one. */
  readonly revision: number
  readonly live?: LiveValue | undefined
}

/** A row for the history. */
export interface HistoryRow {
  readonly key: string
  readonly revision: number
  readonly entryId: KvEntryId
  readonly op: ChangeOp | 'expire'
  /** Absent for deletions and expiries. */
  readonly text?: string
  readonly expiresAt?: Instant | undefined
  readonly changedAt: Instant
}

/** What one change did. */
export interface Outcome {
  readonly op: ChangeOp
  readonly state: KeyState
  /** Absent when nothing had to change: deleting what is not there, a reducer that adds nothing. */
  readonly history?: HistoryRow
  readonly entryId?: KvEntryId
  /** Of `append_unique`. */
  readonly added?: number
  /** Of `push_bounded`. */
  readonly dropped?: number
}

export interface ChangeContext {
  /** The moment of the write, by the database's clock. */
  readonly at: Instant
  /** When an entry expires that is set now with that many seconds to live. */
  readonly expiryAfter: (ttlSeconds: number) => Instant
  readonly newId: NewId
  /** Largest UTF-8 size of a value's JSON text. */
  readonly valueBytes: number
}

/**
 * What `change` makes of a key, without storing anything.
 *
 * @throws HeddleError `REVISION_MISMATCH`, `KV_TYPE_MISMATCH`, `KV_OVERFLOW`, `KV_VALUE_TOO_LARGE`.
 */
export function applyChange(state: KeyState, change: Change, context: ChangeContext): Outcome {
  assertRevision(state, change.ifRevision)
  if (change.op === 'delete') return deleted(state, context)
  const { live } = state
  const current = live && parseJson(live.text)
  switch (change.op) {
    case 'set': {
      const expiresAt =
        change.ttlSeconds === undefined ? undefined : context.expiryAfter(change.ttlSeconds)
      return stored(state, change.op, change.value, expiresAt, context)
    }
    case 'incr': {
      const sum = incremented(current, change.by, change.initial)
      return reduced(state, change.op, sum, context)
    }
    case 'merge':
      return reduced(state, change.op, merged(current, change.patch), context)
    case 'append_unique': {
      const { items, added } = appendedUnique(current, change.items)
      return { ...reduced(state, change.op, items, context), added }
    }
    case 'push_bounded': {
      const { items, dropped } = pushedBounded(current, change.items, change.max)
      return { ...stored(state, change.op, items, live?.expiresAt, context), dropped }
    }
  }
}

/** The state of a key whose entry has run out: without it, one revision on. */
export function expire(state: KeyState, at: Instant): { state: KeyState; history?: HistoryRow } {
  const { key, revision, live } = state
  if (live?.expiresAt === undefined || live.expiresAt > at) return { state }
  const { entryId, expiresAt } = live
  return {
    state: { key, revision: revision + 1 },
    history: {
      key,
      revision: revision + 1,
      entryId,
      op: 'expire',
      expiresAt,
      changedAt: expiresAt,
    },
  }
}

function assertRevision(state: KeyState, expected: number | undefined): void {
  const actual = state.live === undefined ? 0 : state.revision
  if (expected === undefined || expected === actual) return
  throw new HeddleError('REVISION_MISMATCH', { details: { expected, actual } })
}

function deleted(state: KeyState, { at }: ChangeContext): Outcome {
  const { key, live } = state
  if (live === undefined) return { op: 'delete', state }
  const revision = state.revision + 1
  const { entryId } = live
  const history = { key, revision, entryId, op: 'delete', changedAt: at } as const
  return { op: 'delete', state: { key, revision }, history, entryId }
}

/** A reducer that leaves what is there leaves no revision either. */
function reduced(state: KeyState, op: ChangeOp, value: JsonValue, context: ChangeContext): Outcome {
  const { live } = state
  if (live !== undefined && live.text === JSON.stringify(value)) {
    return { op, state, entryId: live.entryId }
  }
  return stored(state, op, value, live?.expiresAt, context)
}

function stored(
  state: KeyState,
  op: ChangeOp,
  value: JsonValue,
  expiresAt: Instant | undefined,
  { at, newId, valueBytes }: ChangeContext,
): Outcome {
  const { key } = state
  const text = JSON.stringify(value)
  const size = Buffer.byteLength(text, 'utf8')
  if (size > valueBytes) {
    throw new HeddleError('KV_VALUE_TOO_LARGE', { details: { bytes: size, limit: valueBytes } })
  }
  const revision = state.revision + 1
  const entryId = state.live?.entryId ?? (newId() as KvEntryId)
  const bytes = Buffer.byteLength(key, 'utf8') + size
  return {
    op,
    state: { key, revision, live: { entryId, text, bytes, expiresAt } },
    history: { key, revision, entryId, op, text, expiresAt, changedAt: at },
    entryId,
  }
}
