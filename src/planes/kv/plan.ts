import { HeddleError } from '../../core/errors.ts'
import {
  applyChange,
  type Change,
  type ChangeContext,
  expire,
  type HistoryRow,
  type KeyState,
  type Outcome,
} from './change.ts'

/** Everything that a list of changes leads to; nothing of it is stored yet. */
export interface ChangePlan {
  /** One per change, in order. */
  readonly outcomes: readonly Outcome[]
  /** The keys that changed, as they are to be at the end. */
  readonly after: readonly KeyState[]
  readonly history: readonly HistoryRow[]
  /** How many bytes the scope gains, after each change. */
  readonly growth: readonly number[]
}

/**
 * Applies changes in their order to the keys they name, each seeing what those before it left.
 *
 * @throws HeddleError what {@link applyChange} throws, as `placeError` words it.
 */
export function planChanges(
  states: ReadonlyMap<string, KeyState>,
  changes: readonly Change[],
  context: ChangeContext,
  placeError: PlaceError,
): ChangePlan {
  const held = new Map(states)
  const changed = new Set<string>()
  const history: HistoryRow[] = []
  const outcomes: Outcome[] = []
  const growth: number[] = []
  let grown = 0
  const keep = (before: KeyState, after: KeyState, row: HistoryRow | undefined): void => {
    if (row === undefined) return
    grown += (after.live?.bytes ?? 0) - (before.live?.bytes ?? 0)
    history.push(row)
    held.set(after.key, after)
    changed.add(after.key)
  }
  for (const [index, change] of changes.entries()) {
    const stored = held.get(change.key) ?? { key: change.key, revision: 0 }
    const expired = expire(stored, context.at)
    keep(stored, expired.state, expired.history)
    const outcome = placed(placeError, index, () => applyChange(expired.state, change, context))
    keep(expired.state, outcome.state, outcome.history)
    outcomes.push(outcome)
    growth.push(grown)
  }
  const after = [...changed].flatMap((key) => held.get(key) ?? [])
  return { outcomes, after, history, growth }
}

/** Where an error is about one change of a list, the same error with its place. */
export type PlaceError = (error: HeddleError, index: number) => HeddleError

/** For a list of one, which has no places. */
export const samePlace: PlaceError = (error) => error

/** For `kv.batch`. */
export const atEntry: PlaceError = (error, index) => {
  const { code, message, details, issues } = error
  const path = ['entries', index]
  const inner = issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
  return new HeddleError(code, {
    message: `entries.${index}: ${message}`,
    details: { ...details, index },
    issues: inner.length > 0 ? inner : [{ path, code: code.toLowerCase(), message }],
    cause: error.cause,
  })
}

function placed<T>(placeError: PlaceError, index: number, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof HeddleError ? placeError(error, index) : error
  }
}
