import { z } from 'zod'

import { invalidInput } from '../../../core/invalid-input.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { moveDocumentChange, moveSectionChange } from '../changes.ts'
import type { MoveTarget } from '../edit/move-section.ts'
import { assertOneName } from '../find-document.ts'
import type { Change } from '../prepare-revision.ts'
import { reviseDocument } from '../revise-document.ts'
import { fromRevisedReceipt, RevisedSchema, toRevised, toRevisedReceipt } from '../revised.ts'
import {
  DOCUMENT_SCOPES,
  documentNameFields,
  documentPathSchema,
  ifRevisionSchema,
} from '../wire.ts'

const Input = z.strictObject({
  ...documentNameFields,
  to: documentPathSchema.optional().describe('New path of the document'),
  chunk_id: z.uuid().optional().describe('Instead of to: a section to move inside the document'),
  before: z.uuid().optional().describe('The section that it comes to stand before'),
  after: z.uuid().optional().describe('The section that it comes to stand after'),
  into: z.uuid().optional().describe('The section whose last part it becomes'),
  if_revision: ifRevisionSchema
    .optional()
    .describe('Required with chunk_id: the newest revision you have read'),
})
type Input = z.output<typeof Input>

export const moveOperation = defineWrite({
  name: 'doc.move',
  summary: 'Give a document another path, or move a section inside it',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: false,
  destructive: false,
  input: Input,
  output: RevisedSchema,
  example: { path: 'notes/kiln.md', to: 'guides/kiln.md' },
  positional: ['path', 'to'],
  handle: (call, input) => {
    assertOneName(input)
    const name = { path: input.path, id: input.id }
    return reviseDocument(call, name, toChange(input), toRevised(call.target.kind))
  },
  toReceipt: toRevisedReceipt,
  fromReceipt: fromRevisedReceipt,
})

function toChange(input: Input): Change {
  const { path, id, to, chunk_id: chunkId, if_revision: ifRevision } = input
  if ((to === undefined) === (chunkId === undefined)) {
    throw invalidInput(['to'], 'one_of', 'Expected either to or chunk_id')
  }
  const targets = toTargets(input)
  if (chunkId === undefined) {
    const [target] = targets
    if (target === undefined) return moveDocumentChange({ path, id }, ifRevision, to ?? '')
    throw invalidInput([target.place], 'not_applicable', 'A document moves to a path')
  }
  const [target, other] = targets
  if (target === undefined || other !== undefined) {
    throw invalidInput(['before'], 'one_of', 'Expected one of before, after and into')
  }
  if (ifRevision === undefined) {
    throw invalidInput(
      ['if_revision'],
      'required',
      'Say in which revision you have read of the section',
    )
  }
  return moveSectionChange({ path, id }, ifRevision, chunkId.toLowerCase(), target)
}

function toTargets({ before, after, into }: Input): readonly MoveTarget[] {
  return Object.entries({ before, after, into }).flatMap(([place, chunkId]) =>
    chunkId === undefined
      ? []
      : [{ place: place as MoveTarget['place'], chunkId: chunkId.toLowerCase() }],
  )
}
