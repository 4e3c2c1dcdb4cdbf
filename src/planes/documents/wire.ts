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

/** The two ways to name a document; an operation takes exactly one of them. */
export const documentNameFields = {
  path: documentPathSchema.optional(),
  id: z.uuid().optional().describe('source_id, instead of the path'),
}

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
  added: z.int().describe('With a new id'),
  kept: z.int().describe('With the id that they had'),
  removed: z.int().describe('That only the revision before has'),
  edited: z.int().describe('Kept, with other text'),
  moved: z.int().describe('Kept, in another section or out of their order'),
})

/** The newest revision that a caller has seen. */
export const ifRevisionSchema = z.int().min(1)

export const chunkTokensSchema = z
  .int()
  .min(32)
  .max(8192)
  .describe('Bound of a chunk in tokens; kept for later revisions; default 320')

export const linkKindSchema = z.enum(['link', 'image', 'wiki'])

/** A filter over paths: one document, or a folder with everything below it. */
export const pathFilterSchema = z
  .string()
  .transform((given, context): string => {
    const isFolder = given.length > 1 && given.endsWith('/')
    const path = parseDocumentPath(isFolder ? given.slice(0, -1) : given)
    if (typeof path === 'string') return isFolder ? `${path}/` : path
    context.issues.push({ code: 'custom', message: path.message, input: given })
    return z.NEVER
  })
  .describe('Only this document, or with a slash at its end all below')
