import { z } from 'zod'

import type { PassageName } from '../../evidence/index.ts'
import type { ScopeKind } from '../../identity/scope.ts'

/** Sources outlive a run, and so does what cites them. */
export const EVIDENCE_SCOPES = ['user', 'agent', 'tenant', 'global'] as const satisfies ScopeKind[]

/** UTF-16 code units of a quote, and of the words that tell its place from others. */
const MAX_QUOTE = 100_000
const MAX_AROUND = 1000

export const spanSchema = z.strictObject({
  start: z.int().min(0).describe('UTF-16 code units of the revision, or of the turn, from 0'),
  end: z.int().min(0).describe('The first one after it'),
})

/** Where a quote should stand. */
export const passageFields = {
  source_id: z.uuid().optional().describe('Or chunk_id'),
  chunk_id: z.uuid().optional().describe('The chunk that it starts in, or the turn'),
  revision: z.int().min(1).optional().describe('Default: the newest that has it'),
}

export const quoteFields = {
  quote: z.string().min(1).max(MAX_QUOTE).describe('The words as the source says them'),
  before: z.string().max(MAX_AROUND).optional().describe('Words right before it, if it repeats'),
  after: z.string().max(MAX_AROUND).optional().describe('Words right after it, if it repeats'),
}

export function toPassageName(input: {
  readonly source_id?: string | undefined
  readonly chunk_id?: string | undefined
  readonly revision?: number | undefined
}): PassageName {
  return {
    sourceId: input.source_id?.toLowerCase(),
    chunkId: input.chunk_id?.toLowerCase(),
    revision: input.revision,
  }
}
