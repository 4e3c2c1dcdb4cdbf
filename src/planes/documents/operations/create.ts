import { defineWrite } from '../../../operation/definition.ts'
import { createChange } from '../changes.ts'
import { GivenDocumentSchema, toGivenDocument } from '../given-document.ts'
import { reviseDocument } from '../revise-document.ts'
import { fromRevisedReceipt, RevisedSchema, toRevised, toRevisedReceipt } from '../revised.ts'
import { DOCUMENT_SCOPES } from '../wire.ts'

export const createOperation = defineWrite({
  name: 'doc.create',
  summary: 'Store a new Markdown document under a path that is free',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: false,
  destructive: false,
  input: GivenDocumentSchema,
  output: RevisedSchema,
  example: { path: 'notes/kiln.md', content: '# Kiln\n\nGlaze firing takes nine hours.\n' },
  positional: ['path', 'content'],
  handle: (call, input) => {
    const change = createChange(toGivenDocument(input))
    return reviseDocument(call, { path: input.path }, change, toRevised(call.target.kind))
  },
  toReceipt: toRevisedReceipt,
  fromReceipt: fromRevisedReceipt,
})
