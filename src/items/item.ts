import type { Instant } from '../core/instant.ts'

/** What a recall item is a projection of. */
export const ITEM_KINDS = ['fact', 'chunk', 'turn', 'kv', 'vector', 'review'] as const

export type ItemKind = (typeof ITEM_KINDS)[number]

/** The searchable side of one record, as its plane hands it over in the transaction that writes the record. */
export interface ItemInput {
  readonly kind: ItemKind
  /** Id of the record; an item of that id is replaced. */
  readonly recordId: string
  /** Heading path, key or name: found like the text and weighs more. */
  readonly title?: string
  /** What recall shows and cites; for a chunk or turn exactly the quoted text. */
  readonly text: string
  /** What is searched instead of the text, where the two differ: labels of a diagram, words of an image. */
  readonly searchText?: string
  /** BCP 47 tag, when known. */
  readonly language?: string
  readonly observedAt?: Instant
  /** From then on the item is out of recall. */
  readonly expiresAt?: Instant
  readonly type?: string
  readonly tags?: readonly string[]
  /** Path of the document. */
  readonly path?: string
  readonly author?: string
  /** The source that the record is part of. */
  readonly sourceId?: string
  /** Revision of the record whose text this is, from 1. */
  readonly revision: number
}
