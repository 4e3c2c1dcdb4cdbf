import type { Instant } from '../../core/instant.ts'
import type { Row, Transaction } from '../../engines/postgres/engine.ts'
import type { Statement } from '../../engines/postgres/statement.ts'
import {
  countLiveSources,
  type DeletedSource,
  eraseSource,
  findDeletedSource,
  findRevision,
  findSource,
  pageSources,
  quoteOf,
  readEnvelope,
  readLeafSurroundings,
  readTurnSurroundings,
  type Source,
  withoutNulls,
} from '../../evidence/index.ts'
import type { ScopeSet } from '../../identity/scope.ts'
import type { RecordSource, RecordSummary, RecordView } from '../../operation/record.ts'
import { forgetTurn, refuseToForgetChunk } from './forget-turn.ts'
import { toChunk } from './rows.ts'
import { countChunks, selectChunk, selectChunksPage } from './sql/select-chunks.ts'
import { selectLineage } from './sql/select-lineage.ts'
import { countTurns, selectTurn, selectTurnsPage } from './sql/select-turns.ts'

/** UTF-16 code units of a title in `list`. */
const MAX_TITLE_LENGTH = 200

const sources: RecordSource = {
  kind: 'source',
  find: async (tx, read, id, { includeDeleted }) => {
    const source = await findSource(tx, read, id)
    if (source !== undefined) return viewSource(source)
    const deleted = includeDeleted ? await findDeletedSource(tx, read, id) : undefined
    return deleted && viewDeletedSource(deleted)
  },
  page: async (tx, read, afterId, limit) =>
    (await pageSources(tx, read, afterId, limit)).map(summarizeSource),
  count: countLiveSources,
  forget: eraseSource,
}

const chunks: RecordSource = {
  kind: 'chunk',
  find: async (tx, read, id, { budgetTokens }) => {
    const [row] = await tx.query(selectChunk(read, id))
    return row && viewChunk(tx, read, row, budgetTokens)
  },
  page: async (tx, read, afterId, limit) =>
    (await tx.query(selectChunksPage(read, afterId, limit))).map(summarizeChunk),
  count: (tx, read) => countRows(tx, countChunks(read)),
  forget: refuseToForgetChunk,
}

const turns: RecordSource = {
  kind: 'turn',
  find: async (tx, read, id, { budgetTokens }) => {
    const [row] = await tx.query(selectTurn(read, id))
    return row && viewTurn(tx, read, row, budgetTokens)
  },
  page: async (tx, read, afterId, limit) =>
    (await tx.query(selectTurnsPage(read, afterId, limit))).map(summarizeTurn),
  count: (tx, read) => countRows(tx, countTurns(read)),
  forget: forgetTurn,
}

/** How `get` and `list` reach sources, chunks and turns. */
export const DOCUMENT_RECORD_SOURCES: readonly RecordSource[] = [sources, chunks, turns]

async function countRows(tx: Transaction, statement: Statement): Promise<number> {
  const [row] = await tx.query(statement)
  return row?.['total'] as number
}

function viewSource(source: Source): RecordView {
  const { kind, path, name, title, type, tags, fields, revision, observedAt } = source
  return {
    id: source.sourceId,
    kind: 'source',
    scopeId: source.scopeId,
    record: {
      kind,
      ...withoutNulls({ path, name, title, type, fields, observed_at: observedAt }),
      tags,
      revision,
      inserted_at: source.insertedAt,
      updated_at: source.updatedAt,
      provenance: source.provenance,
    },
  }
}

/** Who deleted it and when, and what it was; nothing of what it said. */
function viewDeletedSource({ source, deletedAt, deletedBy }: DeletedSource): RecordView {
  const { sourceId, scopeId, kind, path, name, revision, insertedAt, provenance } = source
  return {
    id: sourceId,
    kind: 'source',
    scopeId,
    record: {
      kind,
      ...withoutNulls({ path, name }),
      revision,
      inserted_at: insertedAt,
      deleted_at: deletedAt,
      deleted_by: deletedBy,
      provenance,
    },
  }
}

/**
 * A chunk as the newest revision that has it: its quote, where that lies, whether it is still there, from
 * which chunks it came, and what stands around it.
 */
async function viewChunk(
  tx: Transaction,
  read: ScopeSet,
  row: Row,
  budgetTokens: number,
): Promise<RecordView> {
  const chunk = toChunk(row)
  const { quote, headingPath, parentId, level } = chunk
  const held = await findRevision(tx, read, chunk.sourceId, chunk.revision)
  const text = held?.text ?? ''
  const { sourceId, revision, span } = chunk
  const place = { sourceId, revision, start: span.start, end: span.end }
  const options = { budgetTokens, withPlace: false }
  return {
    id: chunk.chunkId,
    kind: 'chunk',
    scopeId: chunk.scopeId,
    record: {
      source_id: chunk.sourceId,
      revision: chunk.revision,
      is_current: chunk.revision === row['source_revision'],
      type: chunk.type,
      heading_path: headingPath,
      ...withoutNulls({ parent_id: parentId, level, fields: chunk.fields }),
      ...(chunk.tags.length > 0 && { tags: chunk.tags }),
      span: { start: quote.start, end: quote.end },
      quote: quoteOf(text, quote),
      quote_hash: quote.hash,
      tokens: chunk.tokens,
      ...(await readLineage(tx, read, chunk.chunkId)),
      ...(await readLeafSurroundings(tx, read, place, text, options)),
      provenance: readEnvelope(row),
    },
  }
}

/** The chunks that it was made from, and those that were made from it, by splitting and merging. */
async function readLineage(tx: Transaction, read: ScopeSet, chunkId: string) {
  const steps = (await tx.query(selectLineage(read, chunkId))).map((row) => ({
    isOrigin: row['is_origin'] as boolean,
    step: {
      chunk_id: row['other_id'] as string,
      change: row['change'] as string,
      revision: row['revision'] as number,
    },
  }))
  const cameFrom = steps.filter(({ isOrigin }) => isOrigin).map(({ step }) => step)
  const wentTo = steps.filter(({ isOrigin }) => !isOrigin).map(({ step }) => step)
  return {
    ...(cameFrom.length > 0 && { came_from: cameFrom }),
    ...(wentTo.length > 0 && { went_to: wentTo }),
  }
}

async function viewTurn(
  tx: Transaction,
  read: ScopeSet,
  row: Row,
  budgetTokens: number,
): Promise<RecordView> {
  const content = row['content'] as string
  const tool = row['tool'] as string | null
  const turn = { sourceId: row['source_id'] as string, position: row['position'] as number }
  return {
    id: row['chunk_id'] as string,
    kind: 'turn',
    scopeId: row['scope_id'] as string,
    record: {
      source_id: row['source_id'],
      conversation: row['name'],
      revision: row['revision'],
      position: row['position'],
      role: row['role'],
      ...withoutNulls({ speaker: row['speaker'], observed_at: row['observed_at'] }),
      content,
      span: { start: 0, end: content.length },
      quote_hash: row['content_hash'],
      is_tool: row['is_tool'],
      ...(tool !== null && { tool: JSON.parse(tool) as unknown }),
      ...(await readTurnSurroundings(tx, read, turn, budgetTokens)),
      inserted_at: row['inserted_at'],
      provenance: readEnvelope(row),
    },
  }
}

function summarizeSource(source: Source): RecordSummary {
  return {
    id: source.sourceId,
    kind: 'source',
    scopeId: source.scopeId,
    title: clip(source.path ?? source.name ?? source.title ?? source.kind),
    revision: source.revision,
    insertedAt: source.insertedAt,
  }
}

function summarizeChunk(row: Row): RecordSummary {
  const chunk = toChunk(row)
  const place = (row['path'] as string | null) ?? (row['title'] as string | null)
  const parts = place === null ? chunk.headingPath : [place, ...chunk.headingPath]
  return {
    id: chunk.chunkId,
    kind: 'chunk',
    scopeId: chunk.scopeId,
    title: clip(parts.length === 0 ? chunk.type : parts.join(' > ')),
    revision: chunk.revision,
    insertedAt: row['inserted_at'] as Instant,
  }
}

function summarizeTurn(row: Row): RecordSummary {
  const speaker = (row['speaker'] as string | null) ?? (row['role'] as string)
  return {
    id: row['chunk_id'] as string,
    kind: 'turn',
    scopeId: row['scope_id'] as string,
    title: clip(`${row['name'] as string} #${row['position'] as number} ${speaker}`),
    revision: row['revision'] as number,
    insertedAt: row['inserted_at'] as Instant,
  }
}

function clip(title: string): string {
  return title.length <= MAX_TITLE_LENGTH
    ? title
    : `${title.slice(0, MAX_TITLE_LENGTH - 1).toWellFormed()}…`
}
