import type { SourceId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import type { Envelope } from '../provenance/envelope.ts'

/** What kind of observation a source is. */
export type SourceKind =
  'document' | 'conversation' | 'text' | 'statement' | 'tool_output' | 'correction' | 'harvest'

/** What a source says about itself; all of it may change without a new revision. */
export interface SourceDescription {
  readonly title?: string
  readonly type?: string
  readonly tags: readonly string[]
  /** Front matter. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly observedAt?: Instant
}

/** How a source is addressed beside its id; unique in its scope among what is not deleted. */
export interface SourceAddress {
  /** Of a document. */
  readonly path?: string
  /** Of a conversation. */
  readonly name?: string
}

export interface NewSource extends SourceDescription, SourceAddress {
  readonly sourceId: SourceId
  readonly kind: SourceKind
}

export interface Source extends NewSource {
  readonly scopeId: string
  /** The newest revision, from 1. */
  readonly revision: number
  readonly insertedAt: Instant
  readonly updatedAt: Instant
  /** Of whoever wrote it last. */
  readonly provenance: Envelope
}

/** The text of a source at one revision. */
export interface SourceRevision {
  readonly revision: number
  /** Absent in a conversation, whose text are its turns. */
  readonly text?: string
  /** SHA-256 of the text as hex. */
  readonly hash?: string
  /** UTF-16 code units. */
  readonly length: number
  readonly observedAt?: Instant
  readonly insertedAt: Instant
}
