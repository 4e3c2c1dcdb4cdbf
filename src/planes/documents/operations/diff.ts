import { z } from 'zod'

import { HeddleError } from '../../../core/errors.ts'
import type { Transaction } from '../../../engines/postgres/engine.ts'
import { findRevision, type Source } from '../../../evidence/index.ts'
import { getScopeKind, type ScopeSet } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { diffDocuments } from '../diff/diff-documents.ts'
import { assertOneName, getDocument, resolveRevision } from '../find-document.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema } from '../wire.ts'

const DEFAULT_CONTEXT = 3

export const diffOperation = defineRead({
  name: 'doc.diff',
  summary: 'Show what changed between two revisions of a document, as a unified diff',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    ...documentNameFields,
    from: z
      .int()
      .min(0)
      .optional()
      .describe('Revision; 0 is the empty text; default: the one before `to`'),
    to: z.int().min(1).optional().describe('Revision; default: the newest'),
    context: z
      .int()
      .min(0)
      .max(1000)
      .optional()
      .describe(`Lines shown around a change; default ${DEFAULT_CONTEXT}`),
  }),
  output: z.strictObject({
    source_id: z.uuid(),
    path: z.string(),
    scope: scopeSchema,
    from: z.int(),
    to: z.int(),
    diff: z.string().describe('Empty when both are the same'),
    lines_added: z.int(),
    lines_removed: z.int(),
    truncated: z.boolean().describe('True when changes at the end were left out'),
    minimal: z
      .boolean()
      .describe('False when the texts differ too much: then one block replaces another'),
  }),
  example: { path: 'guides/setup.md', from: 1, to: 2 },
  positional: ['path'],
  handle: async (call, input) => {
    assertOneName(input)
    const read = await call.readTransaction(async (tx) => {
      const document = await getDocument(tx, call.read, input)
      const to = resolveRevision(document, input.to)
      const from = input.from === 0 ? 0 : resolveRevision(document, input.from ?? to - 1)
      const before = await readText(tx, call.read, document, from)
      return { document, from, to, before, after: await readText(tx, call.read, document, to) }
    })
    const { document, from, to, before, after } = read
    const path = document.path ?? ''
    const labels = { before: `revision ${from}`, after: `revision ${to}` }
    const { context = DEFAULT_CONTEXT } = input
    const found = await diffDocuments({ path, before, after, labels, context }, call.signal)
    return {
      source_id: document.sourceId,
      path,
      scope: getScopeKind(call.read, document.scopeId),
      from,
      to,
      diff: found.diff,
      lines_added: found.linesAdded,
      lines_removed: found.linesRemoved,
      truncated: found.isTruncated,
      minimal: found.isMinimal,
    }
  },
})

async function readText(
  tx: Transaction,
  read: ScopeSet,
  { sourceId }: Source,
  revision: number,
): Promise<string> {
  if (revision === 0) return ''
  const held = await findRevision(tx, read, sourceId, revision)
  if (held?.text !== undefined) return held.text
  throw new HeddleError('NOT_FOUND', { details: { id: sourceId, revision } })
}
