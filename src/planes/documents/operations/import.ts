import { defineWrite } from '../../../operation/definition.ts'
import { importChange } from '../changes.ts'
import { GivenDocumentSchema, toGivenDocument } from '../given-document.ts'
import { reviseDocument } from '../revise-document.ts'
import { fromRevisedReceipt, RevisedSchema, toRevised, toRevisedReceipt } from '../revised.ts'
import { DOCUMENT_SCOPES } from '../wire.ts'

export const importOperation = defineWrite({
  name: 'doc.import',
  summary: 'Store a Markdown document under a path, or its next revision',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: true,
  destructive: false,
  input: GivenDocumentSchema,
  output: RevisedSchema,
  example: { path: 'guides/setup.md', content: '# Setup\n\nRun the installer.\n' },
  positional: ['path', 'content'],
  handle: (call, input) => {
    const change = importChange(toGivenDocument(input))
    return reviseDocument(call, { path: input.path }, change, toRevised(call.target.kind))
  },
  toReceipt: toRevisedReceipt,
  fromReceipt: fromRevisedReceipt,
})
