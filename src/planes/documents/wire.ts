import { z } from 'zod'

import { instantSchema } from '../../core/instant-schema.ts'
import { SCOPE_KINDS, type ScopeKind } from '../../identity/scope.ts'
import { parseDocumentPath } from './path.ts'

/** Documents and conversations outlive a run, so they are not kept in its scope. */
export const DOCUMENT_SCOPES = ['user', 'agent', 'tenant', 'global'] as const satisfies ScopeKind[]

export const scopeSchema = z.enum(SCOPE_KINDS)

export const documentPathSchema = z
  .string()
  .transform((given, context): string => {
    const path = parseDocumentPath(given)
    if (typeof path === 'string') return path
    context.issues.push({ code: 'custom', message: path.message, input: given })
    return z.NEVER
  })
  .describe('Path of the document in its scope, such as guides/setup.md')

const SHORT_TEXT = 512

export const titleSchema = z.string().trim().min(1).max(SHORT_TEXT)
export const typeSchema = z.string().trim().min(1).max(128)
export const tagsSchema = z
  .array(z.string().trim().min(1).max(128))
  .max(100)
  .transform((tags) => [...new Set(tags)])
export const observedAtSchema = instantSchema

export const spanSchema = z.strictObject({
  start: z.int().describe('UTF-16 code units, from 0'),
  end: z.int().describe('The first one after it'),
})

export const chunkCountsSchema = z.strictObject({
  total: z.int().describe('Leaf chunks of the revision'),
  added: z.int(),
  kept: z.int().describe('That had the same id before'),
  removed: z.int().describe('That the revision before had'),
})
