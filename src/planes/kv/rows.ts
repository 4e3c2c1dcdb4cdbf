import { z } from 'zod'

import type { KvEntryId, ScopeId, TenantId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Row } from '../../engines/postgres/engine.ts'
import { SCOPE_KINDS, type ScopeRef } from '../../identity/scope.ts'
import { type Envelope, ENVELOPE_ROW, toEnvelope } from '../../provenance/envelope.ts'
import { CHANGE_OPS, type KeyState } from './change.ts'
import { type JsonValue, parseJson } from './json-value.ts'

/** One live entry as it is read. */
export interface Entry {
  readonly scopeId: ScopeId
  readonly entryId: KvEntryId
  readonly key: string
  readonly value: JsonValue
  readonly revision: number
  readonly bytes: number
  readonly expiresAt?: Instant
  readonly insertedAt: Instant
  readonly updatedAt: Instant
  readonly provenance: Envelope
}

/** One change of a key as it is read. */
export interface StoredChange {
  readonly scopeId: ScopeId
  readonly entryId: KvEntryId
  readonly key: string
  readonly revision: number
  readonly op: z.output<typeof StoredOp>
  /** JSON text; absent after a deletion or an expiry. */
  readonly text?: string
  readonly expiresAt?: Instant
  readonly changedAt: Instant
  readonly provenance: Envelope
}

export const StoredOp = z.enum([...CHANGE_OPS, 'expire'])

const id = <T extends string>() => z.string() as unknown as z.ZodType<T>
const instant = z.string() as unknown as z.ZodType<Instant>
/** `int8` leaves the driver as text. */
const bigint = z.union([z.string(), z.number()]).transform(Number)

const EntryRow = z.object({
  scope_id: id<ScopeId>(),
  entry_id: id<KvEntryId>(),
  key: z.string(),
  value: z.string(),
  revision: bigint,
  bytes: z.number(),
  expires_at: instant.nullable(),
  inserted_at: instant,
  updated_at: instant,
  ...ENVELOPE_ROW,
})

const ChangeRow = z.object({
  scope_id: id<ScopeId>(),
  entry_id: id<KvEntryId>(),
  key: z.string(),
  revision: bigint,
  op: StoredOp,
  value: z.string().nullable(),
  expires_at: instant.nullable(),
  changed_at: instant,
  ...ENVELOPE_ROW,
})

const StateRow = z.object({
  key: z.string(),
  entry_id: id<KvEntryId>().nullable(),
  value: z.string().nullable(),
  bytes: z.number().nullable(),
  expires_at: instant.nullable(),
  revision: bigint,
})

const UsageRow = z.object({ bytes: bigint, at: instant, expiries: z.string() })
const GoneRow = z.object({ entry_id: id<KvEntryId>(), bytes: z.number() })
const RankRow = z.object({ rank: bigint })
const TotalRow = z.object({ total: bigint })
const ScopeRow = z.object({
  tenant_id: id<TenantId>(),
  scope_id: id<ScopeId>(),
  kind: z.enum(SCOPE_KINDS),
})
const IdRow = z.object({ entry_id: id<KvEntryId>() })

export function toEntry(row: Row): Entry {
  const stored = EntryRow.parse(row)
  return {
    scopeId: stored.scope_id,
    entryId: stored.entry_id,
    key: stored.key,
    value: parseJson(stored.value),
    revision: stored.revision,
    bytes: stored.bytes,
    ...(stored.expires_at !== null && { expiresAt: stored.expires_at }),
    insertedAt: stored.inserted_at,
    updatedAt: stored.updated_at,
    provenance: toEnvelope(stored),
  }
}

export function toStoredChange(row: Row): StoredChange {
  const stored = ChangeRow.parse(row)
  return {
    scopeId: stored.scope_id,
    entryId: stored.entry_id,
    key: stored.key,
    revision: stored.revision,
    op: stored.op,
    ...(stored.value !== null && { text: stored.value }),
    ...(stored.expires_at !== null && { expiresAt: stored.expires_at }),
    changedAt: stored.changed_at,
    provenance: toEnvelope(stored),
  }
}

export function toKeyState(row: Row): KeyState {
  const { key, revision, ...stored } = StateRow.parse(row)
  if (stored.entry_id === null || stored.value === null || stored.bytes === null) {
    return { key, revision }
  }
  const { entry_id: entryId, value: text, bytes, expires_at: expiresAt } = stored
  return { key, revision, live: { entryId, text, bytes, ...(expiresAt !== null && { expiresAt }) } }
}

/** What the lock of a scope tells. */
export interface Usage {
  readonly bytes: number
  /** The moment of the write. */
  readonly at: Instant
  /** One per number of seconds that was asked for. */
  readonly expiries: readonly Instant[]
}

export function toUsage(row: Row | undefined): Usage {
  const { bytes, at, expiries } = UsageRow.parse(row)
  return { bytes, at, expiries: z.array(instant).parse(JSON.parse(expiries)) }
}

export function toGone(row: Row): { readonly entryId: KvEntryId; readonly bytes: number } {
  const { entry_id: entryId, bytes } = GoneRow.parse(row)
  return { entryId, bytes }
}

/** The place of a row's scope in the set, from 1. */
export function toRank(row: Row): number {
  return RankRow.parse(row).rank
}

export function toTotal(row: Row | undefined): number {
  return TotalRow.parse(row).total
}

export function toScopeRef(row: Row): ScopeRef {
  const { tenant_id: tenantId, scope_id: scopeId, kind } = ScopeRow.parse(row)
  return { kind, tenantId, scopeId }
}

export function toEntryId(row: Row): KvEntryId {
  return IdRow.parse(row).entry_id
}
