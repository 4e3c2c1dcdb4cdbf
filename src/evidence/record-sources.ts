import type { Row, Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'
import type { FindOptions, RecordFinder, RecordSource, RecordView } from '../operation/record.ts'
import { readLeafSurroundings, readTurnSurroundings } from './context.ts'
import { findDeletedSource } from './delete-source.ts'
import type { Evidence } from './evidence.ts'
import { toEvidence } from './evidence-rows.ts'
import { findNewestPlace } from './newest-place.ts'
import { getPassage, type Passage } from './passage.ts'
import { readEnvelope, withoutNulls } from './rows.ts'
import { findSource } from './sources.ts'
import { hashSpan, quoteOf } from './span.ts'
import { selectForgetReceipt } from './sql/forget-receipt.ts'
import {
  countEvidence,
  deleteEvidence,
  selectEvidence,
  selectEvidencePage,
} from './sql/select-evidence.ts'
import { selectTurnText } from './sql/select-part.ts'

/** How `get`, `list` and `forget` reach evidence. */
export const EVIDENCE_RECORD_SOURCE: RecordSource = {
  kind: 'evidence',
  find: async (tx, read, id, options) => {
    const [row] = await tx.query(selectEvidence(read, id))
    return row && viewEvidence(tx, read, toEvidence(row), options)
  },
  page: async (tx, read, afterId, limit) =>
    (await tx.query(selectEvidencePage(read, afterId, limit))).map(toEvidence).map((evidence) => ({
      id: evidence.evidenceId,
      kind: 'evidence',
      scopeId: evidence.scopeId,
      title: `${evidence.stance} ${evidence.sourceId}`,
      revision: evidence.revision,
      insertedAt: evidence.insertedAt,
    })),
  count: async (tx, read) => {
    const [row] = await tx.query(countEvidence(read))
    return row?.['total'] as number
  },
  forget: async (tx, scope, id) => {
    const [row] = await tx.query(deleteEvidence(scope, id))
    if (row === undefined) return undefined
    return { recordIds: [id], counts: { evidence: 1 }, hash: row['hash'] as string }
  },
}

/** How `get` reaches the receipt of something forgotten. */
export const RECEIPT_FINDER: RecordFinder = {
  kind: 'receipt',
  find: async (tx, read, id) => {
    const [row] = await tx.query(selectForgetReceipt(read, id))
    return row && viewReceipt(row)
  },
}

async function viewEvidence(
  tx: Transaction,
  read: ScopeSet,
  evidence: Evidence,
  options: FindOptions,
): Promise<RecordView> {
  const { sourceId, revision, chunkId, span, stance, confidence, locator } = evidence
  const record = {
    source_id: sourceId,
    revision,
    chunk_id: chunkId,
    span: { start: span.start, end: span.end },
    stance,
    confidence,
    ...withoutNulls({ locator, judge_model: evidence.judgeModel }),
    judged_by: evidence.judgedBy,
    judged_at: evidence.judgedAt,
    ...(await viewCited(tx, read, evidence, options)),
    inserted_at: evidence.insertedAt,
    provenance: evidence.provenance,
  }
  return { id: evidence.evidenceId, kind: 'evidence', scopeId: evidence.scopeId, record }
}

/**
 * What can be said of the cited text. The quote and its hash are only shown to who may read a source that
 * is there.
 */
async function viewCited(
  tx: Transaction,
  read: ScopeSet,
  evidence: Evidence,
  options: FindOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { sourceId, erasedAt, span } = evidence
  if (erasedAt !== undefined) {
    return { source_state: 'forgotten', keyed_hash: span.hash, erased_at: erasedAt }
  }
  const source = await findSource(tx, read, sourceId)
  if (source === undefined) {
    const deleted = await findDeletedSource(tx, read, sourceId)
    if (deleted === undefined) return { source_state: 'not_readable' }
    return { source_state: 'deleted', deleted_at: deleted.deletedAt }
  }
  const passage = await getPassage(tx, read, toName(evidence, source.kind === 'conversation'))
  const isIntact = hashSpan(passage.text, span).hash === span.hash
  const { path, name } = source
  return {
    source_state: 'live',
    ...withoutNulls({ path, conversation: name }),
    quote: quoteOf(passage.text, span),
    quote_hash: span.hash,
    is_intact: isIntact,
    newest: await findNewestPlace(tx, read, passage, { span, chunkId: evidence.chunkId }),
    ...(await readSurroundings(tx, read, passage, evidence, options.budgetTokens)),
  }
}

/** The whole revision, so that the quote may go on beyond its first chunk; in a conversation the turn. */
function toName({ sourceId, revision, chunkId }: Evidence, isTurn: boolean) {
  return { sourceId, revision, ...(isTurn && { chunkId }) }
}

async function readSurroundings(
  tx: Transaction,
  read: ScopeSet,
  passage: Passage,
  { sourceId, revision, span }: Evidence,
  budgetTokens: number,
) {
  if (passage.turnId === undefined) {
    const place = { sourceId, revision, start: span.start, end: span.end }
    const options = { budgetTokens, withPlace: true }
    return readLeafSurroundings(tx, read, place, passage.text, options)
  }
  const [row] = await tx.query(selectTurnText(read, passage.turnId))
  const turn = { sourceId, position: row?.['position'] as number }
  return readTurnSurroundings(tx, read, turn, budgetTokens)
}

function viewReceipt(row: Row): RecordView {
  return {
    id: row['receipt_id'] as string,
    kind: 'receipt',
    scopeId: row['scope_id'] as string,
    record: {
      ...readReceipt(row),
      inserted_at: row['inserted_at'],
      provenance: readEnvelope(row),
    },
  }
}

/** What a receipt says, in the form of the wire. */
export function readReceipt(row: Row) {
  const hashes = JSON.parse(row['hashes'] as string) as Record<string, string>
  return {
    state: row['state'] as 'erasing' | 'erased',
    /** What was asked for. */
    forgotten: Object.keys(hashes),
    /** With everything that went along. */
    records: row['records'] as number,
    counts: JSON.parse(row['counts'] as string) as Record<string, number>,
    hashes,
  }
}
