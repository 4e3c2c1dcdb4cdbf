import { z } from 'zod'

import { cursorSchema, readCursor, writeCursor } from '../../../core/cursor.ts'
import { HeddleError } from '../../../core/errors.ts'
import { invalidInput } from '../../../core/invalid-input.ts'
import type { Row, Transaction } from '../../../engines/postgres/engine.ts'
import {
  findRevision,
  findSource,
  findSourceByPath,
  hashText,
  type Source,
  withoutNulls,
} from '../../../evidence/index.ts'
import { getScopeKind } from '../../../identity/scope.ts'
import type { OperationCall } from '../../../operation/call.ts'
import { defineRead } from '../../../operation/definition.ts'
import { type ExportedTurn, toJsonLines, toText } from '../conversation-text.ts'
import { resolveRevision } from '../find-document.ts'
import { selectChunkSpan, selectConversation, selectTurnsOf } from '../sql/select-export.ts'
import { selectTurn } from '../sql/select-turns.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema, spanSchema } from '../wire.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const JSON_LINES = 'application/x-ndjson'

const Input = z.strictObject({
  ...documentNameFields,
  conversation: z.string().trim().min(1).max(256).optional().describe('Name of a conversation'),
  chunk_id: z.uuid().optional().describe('Only this chunk or turn'),
  revision: z.int().min(1).optional().describe('Default: the newest'),
  format: z
    .enum(['text', 'jsonl'])
    .optional()
    .describe('Of a conversation: text (default), or one JSON object for each turn'),
  tool_turns: z.boolean().optional().describe('Of a conversation: tool traffic too'),
  cursor: cursorSchema.optional(),
})
type Input = z.output<typeof Input>

const Output = z.strictObject({
  source_id: z.uuid(),
  kind: z.string().describe('Of source: document, conversation, text'),
  path: z.string().optional(),
  conversation: z.string().optional(),
  scope: scopeSchema,
  revision: z.int(),
  newest_revision: z.int(),
  chunk_id: z.uuid().optional(),
  span: spanSchema.optional().describe('Of the chunk in the revision'),
  media_type: z.string(),
  content: z.string().describe('Exactly as it was stored; as UTF-8 the same bytes'),
  hash: z.string().describe('SHA-256 of the content as UTF-8'),
  length: z.int().describe('UTF-16 code units'),
  next_cursor: z.string().optional().describe('Of a long conversation: the next part'),
})
type Output = z.input<typeof Output>

const Position = z.int().min(0)

export const exportOperation = defineRead({
  name: 'doc.export',
  summary: 'Export the exact content of a document, chunk or conversation at any revision',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: Input,
  output: Output,
  example: { path: 'guides/setup.md', revision: 1 },
  positional: ['path'],
  handle: (call, input) => {
    assertArguments(input)
    return call.readTransaction(async (tx) => {
      if (input.chunk_id !== undefined) return exportChunk(tx, call, input, input.chunk_id)
      const source = await findExported(tx, call, input)
      if (source.kind === 'conversation') return exportConversation(tx, call, source, input)
      assertNotConversation(input)
      return exportText(tx, call, source, resolveRevision(source, input.revision))
    })
  },
})

async function findExported(tx: Transaction, call: OperationCall, input: Input): Promise<Source> {
  const { path, id, conversation } = input
  const found =
    path === undefined
      ? await findSource(
          tx,
          call.read,
          id?.toLowerCase() ?? (await conversationId(tx, call, conversation)),
        )
      : await findSourceByPath(tx, call.read, path)
  if (found !== undefined) return found
  throw new HeddleError('NOT_FOUND', { details: withoutNulls({ path, id, conversation }) })
}

async function conversationId(
  tx: Transaction,
  call: OperationCall,
  conversation: string | undefined,
): Promise<string> {
  const [row] = await tx.query(selectConversation(call.read, conversation ?? ''))
  if (row === undefined) throw new HeddleError('NOT_FOUND', { details: { conversation } })
  return row['source_id'] as string
}

async function exportText(
  tx: Transaction,
  call: OperationCall,
  source: Source,
  revision: number,
): Promise<Output> {
  const held = await findRevision(tx, call.read, source.sourceId, revision)
  if (held?.text === undefined) {
    throw new HeddleError('NOT_FOUND', { details: { id: source.sourceId, revision } })
  }
  return toOutput(call, source, revision, held.text, mediaTypeOf(source))
}

async function exportChunk(
  tx: Transaction,
  call: OperationCall,
  input: Input,
  chunkId: string,
): Promise<Output> {
  assertNotConversation(input)
  const id = chunkId.toLowerCase()
  const [row] = await tx.query(selectChunkSpan(call.read, id, input.revision))
  if (row === undefined) return exportTurn(tx, call, id, input.revision)
  const source = await findSource(tx, call.read, row['source_id'] as string)
  if (source === undefined) throw new HeddleError('NOT_FOUND', { details: { chunk_id: id } })
  const whole = await exportText(tx, call, source, row['revision'] as number)
  const span = { start: row['start_offset'] as number, end: row['end_offset'] as number }
  const content = whole.content.slice(span.start, span.end)
  return { ...whole, ...contentFields(content), chunk_id: id, span }
}

/** A turn is in its conversation from the revision on that added it, and never changes. */
async function exportTurn(
  tx: Transaction,
  call: OperationCall,
  chunkId: string,
  revision: number | undefined,
): Promise<Output> {
  const [row] = await tx.query(selectTurn(call.read, chunkId))
  const source = row && (await findSource(tx, call.read, row['source_id'] as string))
  const content = row?.['content'] as string | null | undefined
  const added = row?.['revision'] as number
  if (source === undefined || content == null || added > (revision ?? added)) {
    throw new HeddleError('NOT_FOUND', { details: withoutNulls({ chunk_id: chunkId, revision }) })
  }
  const whole = toOutput(call, source, resolveRevision(source, revision), content, PLAIN)
  return { ...whole, chunk_id: chunkId, span: { start: 0, end: content.length } }
}

async function exportConversation(
  tx: Transaction,
  call: OperationCall,
  source: Source,
  input: Input,
): Promise<Output> {
  const { format = 'text', tool_turns: withTools = false, cursor } = input
  const revision = resolveRevision(source, input.revision)
  const filter = { source: source.sourceId, revision, format, withTools }
  const place = { operation: 'doc.export', filter }
  const after = readCursor(cursor, place, Position)
  const maxLength = Math.floor(call.limits.documentBytes / MAX_BYTES_PER_CHARACTER)
  const window = { revision, withTools, after, maxLength }
  const rows = await tx.query(selectTurnsOf(call.read, source.sourceId, window))
  const turns = rows.map((row) => toTurn(row, withTools))
  const content = format === 'text' ? toText(turns) : toJsonLines(turns)
  const end = turns.at(-1)?.position
  const hasMore = end !== undefined && end < (rows[0]?.['last'] as number)
  return {
    ...toOutput(call, source, revision, content, format === 'text' ? PLAIN : JSON_LINES),
    ...(hasMore && { next_cursor: writeCursor(place, end) }),
  }
}

/** Of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 4

function toTurn(row: Row, withTools: boolean): ExportedTurn {
  const optional = {
    speaker: row['speaker'] as string | null,
    observedAt: row['observed_at'] as string | null,
    tool: withTools ? (row['tool'] as string | null) : null,
  }
  return {
    position: row['position'] as number,
    role: row['role'] as string,
    content: row['content'] as string,
    ...withoutNulls(optional),
  }
}

function toOutput(
  call: OperationCall,
  source: Source,
  revision: number,
  content: string,
  mediaType: string,
): Output {
  const { sourceId, kind, path, name, scopeId, revision: newest } = source
  return {
    source_id: sourceId,
    kind,
    ...withoutNulls({ path, conversation: name }),
    scope: getScopeKind(call.read, scopeId),
    revision,
    newest_revision: newest,
    media_type: mediaType,
    ...contentFields(content),
  }
}

function contentFields(content: string) {
  return { content, hash: hashText(content), length: content.length }
}

function mediaTypeOf({ kind }: Source): string {
  return kind === 'document' ? MARKDOWN : PLAIN
}

function assertArguments({ path, id, conversation, chunk_id }: Input): void {
  const given = [path, id, conversation, chunk_id].filter((name) => name !== undefined)
  if (given.length !== 1) {
    throw invalidInput(['path'], 'one_of', 'Expected one of path, id, conversation and chunk_id')
  }
}

function assertNotConversation({ format, tool_turns, cursor }: Input): void {
  const message = 'Only for a conversation'
  if (format !== undefined) throw invalidInput(['format'], 'not_applicable', message)
  if (tool_turns !== undefined) throw invalidInput(['tool_turns'], 'not_applicable', message)
  if (cursor !== undefined) throw invalidInput(['cursor'], 'not_applicable', message)
}
