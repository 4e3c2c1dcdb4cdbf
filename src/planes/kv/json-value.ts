import { z } from 'zod'

import { MAX_JSON_DEPTH } from '../../core/text.ts'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [field: string]: JsonValue
}

/**
 * Any JSON value, handed through untouched: a schema that copies objects would lose fields named
 * `__proto__`.
 */
export const jsonValueSchema = z.unknown().refine((value) => isJsonValue(value), {
  error: 'Expected a JSON value',
}) as unknown as z.ZodType<JsonValue, JsonValue>

/** A JSON object, handed through untouched. */
export const jsonObjectSchema = z
  .unknown()
  .refine((value) => isJsonValue(value) && isJsonObject(value), { error: 'Expected a JSON object' })
  .meta({ type: 'object' }) as unknown as z.ZodType<JsonObject, JsonObject>

export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** What `JSON.stringify` would store as it is: no dates, maps, class instances, holes or `undefined`. */
function isJsonValue(value: unknown, depth = 0): value is JsonValue {
  if (depth > MAX_JSON_DEPTH) return false
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return false
  if (Array.isArray(value))
    return value.every((_, index) => isJsonValue(value[index], depth + 1)) && !hasHoles(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((field) => isJsonValue(field, depth + 1))
}

function hasHoles(value: readonly unknown[]): boolean {
  return Object.keys(value).length !== value.length
}

/** Reads stored JSON text. */
export function parseJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}
