import type { Instant } from '../../core/instant.ts'
import type { Row, Transaction } from '../../engines/postgres/engine.ts'
import type { Statement } from '../../engines/postgres/statement.ts'
import {
  countLiveSources,
  findRevision,
  findSource,
  pageSources,
  quoteOf,
  readEnvelope,
  type Source,
  withoutNulls,
} from '../../evidence/index.ts'
import type { ScopeSet } from '../../identity/scope.ts'
import type { RecordSource, RecordSummary, RecordView } from '../../operation/record.ts'
import { toChunk } from './rows.ts'
import { countChunks, selectChunk, selectChunksPage } from './sql/select-chunks.ts'
import { countTurns, selectTurn, selectTurnsPage } from './sql/select-turns.ts'

/** UTF-16 code units of a title in `list`. */
const MAX_TITLE_LENGTH = 200

const sources: RecordSource = {
  kind: 'source',
  find: async (tx, read, id) => {
    const source = await findSource(tx, read, id)
    return source && viewSource(source)
  },
  page: async (tx, read, afterId, limit) =>
    (await pageSources(tx, read, afterId, limit)).map(summarizeSource),
  count: countLiveSources,
}

const chunks: RecordSource = {
  kind: 'chunk',
  find: async (tx, read, id) => {
    const [row] = await tx.query(selectChunk(read, id))
    return row && viewChunk(tx, read, row)
  },
  page: async (tx, read, afterId, limit) =>
    (await tx.query(selectChunksPage(read, afterId, limit))).map(summarizeChunk),
  count: (tx, read) => countRows(tx, countChunks(read)),
}

const turns: RecordSource = {
  kind: 'turn',
  find: async (tx, read, id) => {
    const [row] = await tx.query(selectTurn(read, id))
    return row && viewTurn(row)
  },
  page: async (tx, read, afterId, limit) =>
    (await tx.query(selectTurnsPage(read, afterId, limit))).map(summarizeTurn),
  count: (tx, read) => countRows(tx, countTurns(read)),
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

/** A chunk as the newest revision that has it: its quote, where that lies, and whether it is still there. */
async function viewChunk(tx: Transaction, read: ScopeSet, row: Row): Promise<RecordView> {
  const chunk = toChunk(row)
  const { quote, headingPath, parentId, level } = chunk
  const held = await findRevision(tx, read, chunk.sourceId, chunk.revision)
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
      ...withoutNulls({ parent_id: parentId, level }),
      span: { start: quote.start, end: quote.end },
      quote: held?.text === undefined ? '' : quoteOf(held.text, quote),
      quote_hash: quote.hash,
      tokens: chunk.tokens,
      provenance: readEnvelope(row),
    },
  }
}

function viewTurn(row: Row): RecordView {
  const content = row['content'] as string
  const tool = row['tool'] as string | null
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
