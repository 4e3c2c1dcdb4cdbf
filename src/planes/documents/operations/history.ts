import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
import type { Row, Transaction } from '../../../engines/postgres/engine.ts'
import { readEnvelope, withoutNulls } from '../../../evidence/index.ts'
import { getScopeKind, type ScopeSet } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { envelopeSchema } from '../../../provenance/envelope.ts'
import {
  assertOneName,
  type DocumentName,
  documentNotFound,
  findDocument,
} from '../find-document.ts'
import { selectNamesOf } from '../links/sql/select-names.ts'
import { selectHistory } from '../sql/select-history.ts'
import { selectTombstone } from '../sql/select-tombstone.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema } from '../wire.ts'

const Revision = z.strictObject({
  revision: z.int(),
  inserted_at: z.string(),
  observed_at: z.string().optional(),
  length: z.int().describe('UTF-16 code units'),
  hash: z.string().optional().describe('SHA-256 of the content as UTF-8'),
  chunks: z
    .strictObject({ added: z.int(), removed: z.int() })
    .describe('Leaf chunks that the revision before did not have, and those only it had'),
  provenance: envelopeSchema,
})

const Position = z.int().min(1)

export const historyOperation = defineRead({
  name: 'doc.history',
  summary: 'List the revisions of a document, newest first: when, by whom, what changed',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    ...documentNameFields,
    ...pageFields,
  }),
  output: z.strictObject({
    source_id: z.uuid(),
    path: z.string(),
    scope: scopeSchema,
    title: z.string().optional(),
    deleted_at: z.string().optional().describe('Of a document that was deleted'),
    deleted_by: z.string().optional(),
    former_paths: z
      .array(z.strictObject({ path: z.string(), until: z.string() }))
      .describe('Where it was before it moved, newest first'),
    revisions: z.array(Revision),
    total: z.int(),
    next_cursor: z.string().optional(),
  }),
  example: { path: 'guides/setup.md' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    const limit = resolvePageSize(input.limit, call.limits.pageSize)
    return call.readTransaction(async (tx) => {
      const document = await findAlsoDeleted(tx, call.read, input)
      const place = { operation: 'doc.history', filter: { source: document.source_id } }
      const before = readCursor(input.cursor, place, Position)
      const rows = await tx.query(selectHistory(call.read, document.source_id, before, limit + 1))
      const { page, next } = cutPage(rows, limit, place, (row) => row['revision'])
      const { newest, ...shown } = document
      return {
        ...shown,
        former_paths: await readFormerPaths(tx, call.read, document.source_id),
        revisions: page.map(toRevision),
        total: newest,
        ...next,
      }
    })
  },
})

/** A live document, else one that was deleted: its history is what is left to show who did it. */
async function findAlsoDeleted(tx: Transaction, read: ScopeSet, name: DocumentName) {
  const live = await findDocument(tx, read, name)
  if (live !== undefined) {
    const { sourceId, path = '', scopeId, title, revision } = live
    const scope = getScopeKind(read, scopeId)
    return { source_id: sourceId, path, scope, newest: revision, ...withoutNulls({ title }) }
  }
  const [row] = await tx.query(selectTombstone(read, name))
  if (row === undefined) throw documentNotFound(name)
  return toTombstone(row, read)
}

function toTombstone(row: Row, read: ScopeSet) {
  const optional = {
    title: row['title'] as string | null,
    deleted_at: row['deleted_at'] as string | null,
    deleted_by: row['deleted_by'] as string | null,
  }
  return {
    source_id: row['source_id'] as string,
    path: row['path'] as string,
    scope: getScopeKind(read, row['scope_id'] as string),
    newest: row['revision'] as number,
    ...withoutNulls(optional),
  }
}

async function readFormerPaths(tx: Transaction, read: ScopeSet, sourceId: string) {
  const rows = await tx.query(selectNamesOf(read, sourceId))
  return rows
    .filter((row) => row['kind'] === 'path' && row['until'] !== null)
    .map((row) => ({ path: row['name'] as string, until: row['until'] as string }))
}

function toRevision(row: Row) {
  const optional = {
    hash: row['text_hash'] as string | null,
    observed_at: row['observed_at'] as string | null,
  }
  return {
    revision: row['revision'] as number,
    inserted_at: row['inserted_at'] as string,
    length: row['length'] as number,
    chunks: { added: row['added'] as number, removed: row['removed'] as number },
    provenance: readEnvelope(row),
    ...withoutNulls(optional),
  }
}
