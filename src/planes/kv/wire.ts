import { z } from 'zod'

import type { Instant } from '../../core/instant.ts'
import { getScopeKind, SCOPE_KINDS, type ScopeSet } from '../../identity/scope.ts'
import { envelopeSchema } from '../../provenance/envelope.ts'
import { jsonValueSchema } from './json-value.ts'
import { type Entry, type StoredChange, StoredOp } from './rows.ts'

/** Ten years in seconds. */
const MAX_TTL_SECONDS = 315_360_000

export const ifRevisionSchema = z
  .int()
  .min(0)
  .describe('Only if the entry is at this revision; 0: only if there is none')

export const ttlSecondsSchema = z
  .int()
  .min(1)
  .max(MAX_TTL_SECONDS)
  .describe('Seconds until it expires; omitted: never')

export const entryIdSchema = z.uuid()
export const revisionSchema = z.int().min(1)
export const scopeSchema = z.enum(SCOPE_KINDS)
const instantSchema = z.string()

/** What every write answers about the entry it left. */
export const WRITTEN = {
  entry_id: entryIdSchema,
  key: z.string(),
  scope: scopeSchema,
  revision: revisionSchema,
  bytes: z.int().describe('UTF-8 bytes of key and value'),
  expires_at: instantSchema.optional(),
} as const

/** The same for the list reducers. */
export const LIST_WRITTEN = {
  ...WRITTEN,
  value: jsonValueSchema,
  length: z.int().describe('Items the list has now'),
} as const

export const itemsSchema = z
  .array(jsonValueSchema)
  .min(1)
  .max(1000)
  .describe('JSON values to append')
export const maxItemsSchema = z.int().min(1).max(100_000).describe('Items to keep')

export const entrySchema = z.strictObject({
  ...WRITTEN,
  value: jsonValueSchema,
  inserted_at: instantSchema,
  updated_at: instantSchema,
  provenance: envelopeSchema,
})

export const changeSchema = z.strictObject({
  entry_id: entryIdSchema,
  scope: scopeSchema,
  revision: revisionSchema,
  op: StoredOp,
  deleted: z.boolean().describe('True when the change left no entry'),
  value: jsonValueSchema.optional(),
  expires_at: instantSchema.optional(),
  changed_at: instantSchema,
  provenance: envelopeSchema.optional().describe('Absent for an expiry, which nobody caused'),
})

export function entryToWire(entry: Entry, read: ScopeSet): z.input<typeof entrySchema> {
  return {
    entry_id: entry.entryId,
    key: entry.key,
    scope: getScopeKind(read, entry.scopeId),
    value: entry.value,
    revision: entry.revision,
    bytes: entry.bytes,
    ...expiry(entry.expiresAt),
    inserted_at: entry.insertedAt,
    updated_at: entry.updatedAt,
    provenance: entry.provenance,
  }
}

export function changeToWire(change: StoredChange, read: ScopeSet): z.input<typeof changeSchema> {
  const { text, op } = change
  return {
    entry_id: change.entryId,
    scope: getScopeKind(read, change.scopeId),
    revision: change.revision,
    op,
    deleted: text === undefined,
    ...(text !== undefined && { value: JSON.parse(text) as z.input<typeof jsonValueSchema> }),
    ...expiry(change.expiresAt),
    changed_at: change.changedAt,
    ...(op !== 'expire' && { provenance: change.provenance }),
  }
}

export function expiry(expiresAt: Instant | undefined): { expires_at?: Instant } {
  return expiresAt === undefined ? {} : { expires_at: expiresAt }
}
