import { z } from 'zod'

import { type Change, CHANGE_OPS, type ChangeOp } from './change.ts'
import { jsonObjectSchema, jsonValueSchema } from './json-value.ts'
import { keySchema } from './key.ts'
import { ifRevisionSchema, itemsSchema, maxItemsSchema, ttlSecondsSchema } from './wire.ts'

/** Which fields each change takes beside `op`, `key` and `if_revision`; true: it cannot do without. */
const FIELDS = {
  set: { value: true, ttl_seconds: false },
  delete: {},
  incr: { by: false, initial: false },
  merge: { patch: true },
  append_unique: { items: true },
  push_bounded: { items: true, max: true },
} as const satisfies Record<ChangeOp, Readonly<Record<string, boolean>>>

const COMMON = new Set(['op', 'key', 'if_revision'])

/**
 * One change of a batch. Flat, with the fields of every kind of change, because clients of tools
 * often refuse schemas with alternatives; which fields belong to which `op` is checked all the same.
 */
export const batchEntrySchema = z
  .strictObject({
    op: z.enum(CHANGE_OPS),
    key: keySchema,
    value: jsonValueSchema.optional().describe('set: any JSON value'),
    ttl_seconds: ttlSecondsSchema.optional().describe('set: seconds until it expires'),
    by: z.int().optional().describe('incr: what to add; default 1'),
    initial: z.int().optional().describe('incr: where a missing counter starts; default 0'),
    patch: jsonObjectSchema.optional().describe('merge: fields to put, null removes'),
    items: itemsSchema.optional().describe('append_unique, push_bounded: what to append'),
    max: maxItemsSchema.optional().describe('push_bounded: items to keep'),
    if_revision: ifRevisionSchema.optional(),
  })
  .superRefine((entry, context) => {
    const allowed: Readonly<Record<string, boolean>> = FIELDS[entry.op]
    const refuse = (field: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [field], message })
    }
    for (const [field, isRequired] of Object.entries(allowed)) {
      if (isRequired && !Object.hasOwn(entry, field))
        refuse(field, `"${entry.op}" needs "${field}"`)
    }
    for (const field of Object.keys(entry)) {
      const isKnown = COMMON.has(field) || Object.hasOwn(allowed, field)
      if (!isKnown) refuse(field, `"${entry.op}" takes no "${field}"`)
    }
  })

export type BatchEntry = z.output<typeof batchEntrySchema>

/** Reads an entry whose fields the schema has checked. */
export function toChange(entry: BatchEntry): Change {
  const { op, key, if_revision: ifRevision, value, patch, items = [] } = entry
  const on = { key, ifRevision }
  switch (op) {
    case 'set':
      return { ...on, op, value: value as NonNullable<typeof value>, ttlSeconds: entry.ttl_seconds }
    case 'delete':
      return { ...on, op }
    case 'incr':
      return { ...on, op, by: entry.by ?? 1, initial: entry.initial ?? 0 }
    case 'merge':
      return { ...on, op, patch: patch ?? {} }
    case 'append_unique':
      return { ...on, op, items }
    case 'push_bounded':
      return { ...on, op, items, max: entry.max ?? items.length }
  }
}
