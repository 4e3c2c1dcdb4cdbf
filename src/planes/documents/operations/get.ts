import { z } from 'zod'

import { HeddleError } from '../../../core/errors.ts'
import { findRevision, withoutNulls } from '../../../evidence/index.ts'
import { getScopeKind } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { envelopeSchema } from '../../../provenance/envelope.ts'
import { assertOneName, getDocument, resolveRevision } from '../find-document.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema } from '../wire.ts'

export const getOperation = defineRead({
  name: 'doc.get',
  summary: 'Get the exact text of a document, now or at an earlier revision',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    ...documentNameFields,
    revision: z.int().min(1).optional().describe('Default: the newest'),
  }),
  output: z.strictObject({
    source_id: z.uuid(),
    path: z.string(),
    scope: scopeSchema,
    revision: z.int(),
    newest_revision: z.int(),
    title: z.string().optional(),
    type: z.string().optional(),
    tags: z.array(z.string()),
    fields: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Front matter of the newest revision'),
    content: z.string(),
    hash: z.string().describe('SHA-256 of the content as UTF-8'),
    length: z.int().describe('UTF-16 code units'),
    observed_at: z.string().optional(),
    inserted_at: z.string().describe('Of this revision'),
    provenance: envelopeSchema,
  }),
  example: { path: 'guides/setup.md' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    return call.readTransaction(async (tx) => {
      const document = await getDocument(tx, call.read, input)
      const wanted = resolveRevision(document, input.revision)
      const held = await findRevision(tx, call.read, document.sourceId, wanted)
      if (held?.text === undefined || held.hash === undefined || document.path === undefined) {
        throw new HeddleError('NOT_FOUND', { details: { id: document.sourceId, revision: wanted } })
      }
      const { title, type, fields } = document
      return {
        source_id: document.sourceId,
        path: document.path,
        scope: getScopeKind(call.read, document.scopeId),
        revision: held.revision,
        newest_revision: document.revision,
        tags: [...document.tags],
        content: held.text,
        hash: held.hash,
        length: held.length,
        inserted_at: held.insertedAt,
        provenance: document.provenance,
        ...withoutNulls({ title, type, fields, observed_at: held.observedAt }),
      }
    })
  },
})
