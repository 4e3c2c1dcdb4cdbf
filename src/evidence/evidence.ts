import type { Instant } from '../core/instant.ts'
import type { Envelope } from '../provenance/envelope.ts'
import type { HashedSpan } from './span.ts'

/** What a span says about the statement that cites it. */
export const STANCES = ['supports', 'contradicts'] as const

export type Stance = (typeof STANCES)[number]

/** Confidence runs from 0 to here everywhere. */
export const MAX_CONFIDENCE = 10_000

/** How a person finds the place outside of Heddle. */
export interface Locator {
  readonly line?: number | undefined
  readonly url?: string | undefined
  readonly message_id?: string | undefined
}

/** A span of one revision that speaks for or against something. */
export interface Evidence {
  readonly evidenceId: string
  readonly scopeId: string
  readonly sourceScopeId: string
  readonly sourceId: string
  readonly revision: number
  /** The leaf chunk or turn that the span starts in; in a turn offsets count inside its content. */
  readonly chunkId: string
  /** Once erased, the hash is one under the tenant's key. */
  readonly span: HashedSpan
  readonly stance: Stance
  readonly confidence: number
  readonly locator?: Locator
  readonly judgedBy: string
  readonly judgedAt: Instant
  readonly judgeModel?: string
  readonly erasedAt?: Instant
  readonly insertedAt: Instant
  readonly provenance: Envelope
}
