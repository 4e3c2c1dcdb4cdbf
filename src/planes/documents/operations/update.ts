import { z } from 'zod'

import { invalidInput } from '../../../core/invalid-input.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { updateChange } from '../changes.ts'
import { assertOneName } from '../find-document.ts'
import { reviseDocument } from '../revise-document.ts'
import { fromRevisedReceipt, RevisedSchema, toRevised, toRevisedReceipt } from '../revised.ts'
import {
  DOCUMENT_SCOPES,
  documentNameFields,
  ifRevisionSchema,
  observedAtSchema,
  tagsSchema,
  titleSchema,
  typeSchema,
} from '../wire.ts'

const Input = z.strictObject({
  ...documentNameFields,
  if_revision: ifRevisionSchema
    .optional()
    .describe('Required with content: the newest revision you have read'),
  content: z
    .string()
    .optional()
    .describe('The new Markdown: all of it, or with chunk_id of a chunk'),
  chunk_id: z
    .uuid()
    .optional()
    .describe('A section or leaf of that revision; the white space around it stays'),
  append: z.string().optional().describe('Put after the last byte, exactly as given'),
  title: titleSchema.optional(),
  type: typeSchema.optional(),
  tags: tagsSchema.optional().describe('Instead of those it has'),
  observed_at: observedAtSchema.optional().describe('When this text was written'),
})

export const updateOperation = defineWrite({
  name: 'doc.update',
  summary: 'Replace a document or one chunk, append to it, or describe it anew',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: false,
  destructive: true,
  input: Input,
  output: RevisedSchema,
  example: { path: 'notes/kiln.md', append: '\nThe second firing went well.\n' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    assertOneChange(input)
    const { path, id, if_revision: ifRevision, chunk_id, content, append } = input
    const { title, type, tags, observed_at: observedAt } = input
    const given = { title, type, tags, observedAt }
    const chunkId = chunk_id?.toLowerCase()
    const name = { path, id }
    const change = updateChange(name, ifRevision, { content, chunkId, append, given })
    return reviseDocument(call, name, change, toRevised(call.target.kind))
  },
  toReceipt: toRevisedReceipt,
  fromReceipt: fromRevisedReceipt,
})

function assertOneChange(input: z.output<typeof Input>): void {
  const { content, append, chunk_id: chunkId, if_revision: ifRevision } = input
  const { title, type, tags, observed_at: observedAt } = input
  if (content !== undefined && append !== undefined) {
    throw invalidInput(['append'], 'one_of', 'Expected either content or append')
  }
  if (content !== undefined && ifRevision === undefined) {
    throw invalidInput(
      ['if_revision'],
      'required',
      'content replaces, so say which revision you have read',
    )
  }
  if (content === undefined && chunkId !== undefined) {
    throw invalidInput(['content'], 'required', 'chunk_id needs content to put there')
  }
  const parts = [content, append, title, type, tags, observedAt]
  if (parts.every((part) => part === undefined)) {
    throw invalidInput(['content'], 'required', 'Expected content, append or a description')
  }
}
