import { z } from 'zod'

import type { GivenDocument } from './changes.ts'
import {
  chunkTokensSchema,
  documentPathSchema,
  observedAtSchema,
  tagsSchema,
  titleSchema,
  typeSchema,
} from './wire.ts'

/** A whole document on the wire. */
export const GivenDocumentSchema = z.strictObject({
  path: documentPathSchema,
  content: z.string().describe('Markdown; kept byte for byte'),
  title: titleSchema.optional().describe('Default: from front matter or the first heading'),
  type: typeSchema.optional().describe('Default: from front matter'),
  tags: tagsSchema.optional().describe('Default: from front matter'),
  observed_at: observedAtSchema.optional().describe('When the document was written'),
  chunk_tokens: chunkTokensSchema.optional(),
})

export function toGivenDocument(input: z.output<typeof GivenDocumentSchema>): GivenDocument {
  const { path, content, title, type, tags } = input
  const given = { title, type, tags, observedAt: input.observed_at }
  return { path, content, given, chunkTokens: input.chunk_tokens }
}
