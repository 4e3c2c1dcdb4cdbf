import { canonicalJson } from '../../core/canonical-json.ts'
import { HeddleError } from '../../core/errors.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts'

/**
 * The sum of the stored integer (or `initial`, when there is none) and `by`.
 *
 * @throws HeddleError `KV_TYPE_MISMATCH` when the stored value is not an exact integer, `KV_OVERFLOW`
 * when the sum would not be one.
 */
export function incremented(current: JsonValue | undefined, by: number, initial: number): number {
  const start = current === undefined ? initial : current
  if (typeof start !== 'number' || !Number.isSafeInteger(start))
    throw typeMismatch('integer', start)
  const sum = start + by
  if (!Number.isSafeInteger(sum)) {
    throw new HeddleError('KV_OVERFLOW', {
      details: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    })
  }
  return sum
}

/**
 * The stored object with a JSON merge patch (RFC 7396) applied: a field that is null in the patch
 * goes, objects merge field by field, everything else replaces. Fields keep their order, new ones
 * follow at the end.
 *
 * @throws HeddleError `KV_TYPE_MISMATCH` when something else than an object is stored.
 */
export function merged(current: JsonValue | undefined, patch: JsonObject): JsonObject {
  if (current !== undefined && !isJsonObject(current)) throw typeMismatch('object', current)
  return mergePatch(current, patch)
}

function mergePatch(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  // A Map and fromEntries treat `__proto__` like any other name; assignment would not.
  const fields = new Map(target !== undefined && isJsonObject(target) ? Object.entries(target) : [])
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) fields.delete(name)
    else fields.set(name, isJsonObject(change) ? mergePatch(fields.get(name), change) : change)
  }
  return Object.fromEntries(fields)
}

export interface Appended {
  readonly items: readonly JsonValue[]
  readonly added: number
}

/**
 * The stored array with those `items` at its end that it does not hold yet. Equal is equal by value;
 * the order of fields does not count.
 *
 * @throws HeddleError `KV_TYPE_MISMATCH` when something else than an array is stored.
 */
export function appendedUnique(
  current: JsonValue | undefined,
  items: readonly JsonValue[],
): Appended {
  const held = arrayOrEmpty(current)
  const seen = new Set(held.map(canonicalJson))
  const fresh = items.filter((item) => {
    const text = canonicalJson(item)
    return seen.has(text) ? false : seen.add(text)
  })
  return { items: [...held, ...fresh], added: fresh.length }
}

export interface Pushed {
  readonly items: readonly JsonValue[]
  /** How many fell off the front, new ones included when more than `max` were pushed. */
  readonly dropped: number
}

/**
 * The stored array with `items` at its end, cut to its last `max` items.
 *
 * @throws HeddleError `KV_TYPE_MISMATCH` when something else than an array is stored.
 */
export function pushedBounded(
  current: JsonValue | undefined,
  items: readonly JsonValue[],
  max: number,
): Pushed {
  const all = [...arrayOrEmpty(current), ...items]
  const dropped = Math.max(0, all.length - max)
  return { items: all.slice(dropped), dropped }
}

function arrayOrEmpty(current: JsonValue | undefined): readonly JsonValue[] {
  if (current === undefined) return []
  if (!isJsonArray(current)) throw typeMismatch('array', current)
  return current
}

/** Names types only: the value is somebody's memory. */
function typeMismatch(expected: string, current: JsonValue): HeddleError {
  return new HeddleError('KV_TYPE_MISMATCH', { details: { expected, actual: typeName(current) } })
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
