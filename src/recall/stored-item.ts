import { z } from 'zod'

import type { Instant } from '../core/instant.ts'
import type { Row } from '../engines/postgres/engine.ts'
import { withoutNulls } from '../evidence/index.ts'
import { ITEM_KINDS, type ItemKind } from '../items/index.ts'
import { type Envelope, ENVELOPE_ROW, toEnvelope } from '../provenance/envelope.ts'

/** An item as its row says, read under row-level security: what every candidate is checked against. */
export interface StoredItem {
  readonly recordId: string
  readonly scopeId: string
  readonly kind: ItemKind
  readonly sourceId?: string
  readonly revision: number
  readonly title?: string
  readonly text: string
  readonly type?: string
  readonly tags: readonly string[]
  readonly path?: string
  readonly author?: string
  readonly observedAt?: Instant
  readonly isExpired: boolean
  readonly insertedAt: Instant
  readonly provenance: Envelope
  /** Where a chunk or turn lies in its source now; absent when it does not (or for other kinds). */
  readonly place?: ItemPlace
}

interface ItemPlace {
  readonly revision: number
  readonly start: number
  readonly end: number
  /** SHA-256 of the quote as hex. */
  readonly hash: string
}

const instant = z.string() as unknown as z.ZodType<Instant>

const ItemRow = z.object({
  record_id: z.string(),
  scope_id: z.string(),
  kind: z.enum(ITEM_KINDS),
  source_id: z.string().nullable(),
  revision: z.number(),
  title: z.string().nullable(),
  text: z.string(),
  type: z.string().nullable(),
  tags: z.array(z.string()),
  path: z.string().nullable(),
  author: z.string().nullable(),
  observed_at: instant.nullable(),
  is_expired: z.boolean(),
  inserted_at: instant,
  place_revision: z.number().nullable(),
  place_start: z.number().nullable(),
  place_end: z.number().nullable(),
  place_hash: z.string().nullable(),
  ...ENVELOPE_ROW,
})
type ItemRow = z.output<typeof ItemRow>

export function toStoredItem(row: Row): StoredItem {
  const item = ItemRow.parse(row)
  const place = toPlace(item)
  return {
    recordId: item.record_id,
    scopeId: item.scope_id,
    kind: item.kind,
    revision: item.revision,
    text: item.text,
    tags: item.tags,
    isExpired: item.is_expired,
    insertedAt: item.inserted_at,
    provenance: toEnvelope(item),
    ...withoutNulls({
      sourceId: item.source_id,
      title: item.title,
      type: item.type,
      path: item.path,
      author: item.author,
      observedAt: item.observed_at,
    }),
    ...(place !== undefined && { place }),
  }
}

/** A turn is quoted whole, so that its span is its length in our units. */
function toPlace(item: ItemRow): ItemPlace | undefined {
  const { kind, text, place_revision: revision, place_hash: hash } = item
  const start = kind === 'turn' ? 0 : item.place_start
  const end = kind === 'turn' ? text.length : item.place_end
  if (revision === null || start === null || end === null || hash === null) return undefined
  return { revision, start, end, hash }
}
