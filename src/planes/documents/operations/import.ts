import { z } from 'zod'

import { defineWrite } from '../../../operation/definition.ts'
import { importChange } from '../changes.ts'
import { reviseDocument } from '../revise-document.ts'
import { fromRevisedReceipt, RevisedSchema, toRevised, toRevisedReceipt } from '../revised.ts'
import {
  chunkTokensSchema,
  DOCUMENT_SCOPES,
  documentPathSchema,
  observedAtSchema,
  tagsSchema,
  titleSchema,
  typeSchema,
} from '../wire.ts'

export const importOperation = defineWrite({
  name: 'doc.import',
  summary: 'Store a Markdown document under a path, or its next revision',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: true,
  destructive: false,
  input: z.strictObject({
    path: documentPathSchema,
    content: z.string().describe('Markdown; kept byte for byte'),
    title: titleSchema.optional().describe('Default: from front matter or the first heading'),
    type: typeSchema.optional().describe('Default: from front matter'),
    tags: tagsSchema.optional().describe('Default: from front matter'),
    observed_at: observedAtSchema.optional().describe('When the document was written'),
    chunk_tokens: chunkTokensSchema.optional(),
  }),
  output: RevisedSchema,
  example: { path: 'guides/setup.md', content: '# Setup\n\nRun the installer.\n' },
  positional: ['path', 'content'],
  handle: (call, input) => {
    const { path, content, chunk_tokens: chunkTokens, observed_at: observedAt } = input
    const { title, type, tags } = input
    const given = { title, type, tags, observedAt }
    const change = importChange({ path, content, given, chunkTokens })
    return reviseDocument(call, { path }, change, toRevised(call.target.kind))
  },
  toReceipt: toRevisedReceipt,
  fromReceipt: fromRevisedReceipt,
})
