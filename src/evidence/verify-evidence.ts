import { batches } from '../core/batches.ts'
import type { PostgresEngine, Row } from '../engines/postgres/engine.ts'
import type { Statement } from '../engines/postgres/statement.ts'
import { NO_SCOPES, type ScopeSet } from '../identity/scope.ts'
import { hashText, type Span } from './span.ts'
import { selectEvidence } from './sql/select-evidence.ts'
import {
  countVerifiable,
  listEvidence,
  listRevisionSizes,
  listTurnSizes,
  type RevisionCursor,
  selectChunkHashes,
  selectRevisionTexts,
  selectTurnTexts,
} from './sql/verify.ts'

/** Rows of one page; of texts only the sizes. */
const PAGE_ROWS = 500
/** Texts that are in memory at a time: UTF-16 code units, but for one text that is longer. */
const TEXT_BATCH = {
  size: PAGE_ROWS,
  length: 2 * 1024 * 1024,
  lengthOf: (row: Row) => row['size'] as number,
}
/** Faults that a report lists; all are counted. */
const MAX_FAULTS = 1000

/** A stored hash that the stored text does not have. */
interface EvidenceFault {
  readonly table: 'source_revision' | 'chunk_revision' | 'turn' | 'evidence'
  readonly source_id: string
  readonly revision: number
  /** Of the chunk, turn or evidence; absent of a whole text. */
  readonly id?: string
  /** `hash`: another text; `span`: outside of it; `missing`: the source is not there. */
  readonly fault: 'hash' | 'span' | 'missing'
}

export interface VerifyReport {
  readonly texts: number
  readonly chunks: number
  readonly turns: number
  readonly evidence: number
  /** Evidence whose source lies outside the scopes. */
  readonly not_readable: number
  /** How many; `faults` lists the first 1,000. */
  readonly failed: number
  readonly faults: readonly EvidenceFault[]
}

export interface VerifyProgress {
  /** Texts, turns and pieces of evidence, before the first {@link step}. */
  start(total: number): void
  step(): void
}

/**
 * Recomputes every hash of the scopes: texts, the quotes of their chunks, turns, and the spans of evidence;
 * of deleted sources too. Reads page by page in short transactions, and takes what was erased meanwhile
 * for erased. `cited` is where sources of evidence may lie.
 */
export async function verifyEvidence(
  engine: PostgresEngine,
  scopes: ScopeSet,
  options: {
    readonly signal: AbortSignal
    readonly cited?: ScopeSet
    readonly progress?: VerifyProgress
  },
): Promise<VerifyReport> {
  const run = new Verification(engine, scopes, options.cited ?? scopes, options)
  return run.run()
}

class Verification {
  readonly #engine: PostgresEngine
  readonly #scopes: ScopeSet
  readonly #cited: ScopeSet
  readonly #signal: AbortSignal
  readonly #progress: VerifyProgress | undefined
  readonly #faults: EvidenceFault[] = []
  readonly #counts = { texts: 0, chunks: 0, turns: 0, evidence: 0, not_readable: 0, failed: 0 }

  constructor(
    engine: PostgresEngine,
    scopes: ScopeSet,
    cited: ScopeSet,
    options: { readonly signal: AbortSignal; readonly progress?: VerifyProgress },
  ) {
    this.#engine = engine
    this.#scopes = scopes
    this.#cited = cited
    this.#signal = options.signal
    this.#progress = options.progress
  }

  async run(): Promise<VerifyReport> {
    const [row] = await this.#query(countVerifiable(this.#scopes))
    this.#progress?.start(Number(row?.['total']))
    await this.#texts()
    await this.#turns()
    await this.#evidence()
    return { ...this.#counts, faults: this.#faults }
  }

  async #texts(): Promise<void> {
    let after: RevisionCursor | undefined
    for (;;) {
      const page = await this.#query(listRevisionSizes(this.#scopes, after, PAGE_ROWS))
      for (const batch of batches(page, TEXT_BATCH)) {
        const wanted = batch.map(toCursor)
        for (const row of await this.#query(selectRevisionTexts(this.#scopes, wanted))) {
          await this.#text(row)
        }
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE_ROWS) return
      after = toCursor(last)
    }
  }

  async #text(row: Row): Promise<void> {
    const text = row['text'] as string
    const place = toCursor(row)
    this.#counts.texts += 1
    this.#check('source_revision', place, text, wholeOf(text), row['hash'] as string)
    for (let from = 0; ;) {
      const chunks = await this.#query(selectChunkHashes(this.#scopes, place, from, PAGE_ROWS))
      for (const chunk of chunks) {
        this.#counts.chunks += 1
        const span = { start: chunk['quote_start'] as number, end: chunk['quote_end'] as number }
        const id = chunk['chunk_id'] as string
        this.#check('chunk_revision', place, text, span, chunk['hash'] as string, id)
      }
      const last = chunks.at(-1)
      if (last === undefined || chunks.length < PAGE_ROWS) break
      from = (last['position'] as number) + 1
    }
    this.#progress?.step()
  }

  async #turns(): Promise<void> {
    let after: string | undefined
    for (;;) {
      const page = await this.#query(listTurnSizes(this.#scopes, after, PAGE_ROWS))
      for (const batch of batches(page, TEXT_BATCH)) {
        const ids = batch.map((row) => row['chunk_id'] as string)
        for (const row of await this.#query(selectTurnTexts(this.#scopes, ids))) {
          const text = row['text'] as string
          const id = row['chunk_id'] as string
          this.#counts.turns += 1
          this.#check('turn', toCursor(row), text, wholeOf(text), row['hash'] as string, id)
          this.#progress?.step()
        }
      }
      after = page.at(-1)?.['chunk_id'] as string | undefined
      if (page.length < PAGE_ROWS) return
    }
  }

  async #evidence(): Promise<void> {
    let after: (RevisionCursor & { evidenceId: string }) | undefined
    const texts = new LastText((place) => this.#readCited(place))
    for (;;) {
      const page = await this.#query(listEvidence(this.#scopes, after, PAGE_ROWS))
      for (const row of page) await this.#citation(row, texts)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE_ROWS) return
      after = { ...toCursor(last), evidenceId: last['evidence_id'] as string }
    }
  }

  async #citation(row: Row, texts: LastText): Promise<void> {
    const place = { ...toCursor(row), chunkId: row['chunk_id'] as string }
    const id = row['evidence_id'] as string
    this.#counts.evidence += 1
    this.#progress?.step()
    const isReadable = this.#cited.scopeIds.some((scopeId) => scopeId === row['source_scope_id'])
    if (!isReadable) {
      this.#counts.not_readable += 1
      return
    }
    const text = await texts.get(place)
    if (text === undefined) {
      if (await this.#isStillCited(row)) this.#fail('evidence', place, 'missing', id)
      return
    }
    const span = { start: row['start_offset'] as number, end: row['end_offset'] as number }
    this.#check('evidence', place, text, span, row['hash'] as string, id)
  }

  /** A source that is forgotten between two pages takes its evidence along. */
  async #isStillCited(row: Row): Promise<boolean> {
    const [again] = await this.#query(selectEvidence(this.#scopes, row['evidence_id'] as string))
    return again !== undefined && again['erased_at'] === null
  }

  async #readCited(place: RevisionCursor & { chunkId: string }): Promise<string | undefined> {
    const [text] = await this.#query(selectRevisionTexts(this.#cited, [place]))
    if (text !== undefined) return text['text'] as string
    const [turn] = await this.#query(selectTurnTexts(this.#cited, [place.chunkId]))
    return turn?.['text'] as string | undefined
  }

  #check(
    table: EvidenceFault['table'],
    place: RevisionCursor,
    text: string,
    { start, end }: Span,
    expected: string,
    id?: string,
  ): void {
    if (end > text.length) this.#fail(table, place, 'span', id)
    else if (hashText(text.slice(start, end)) !== expected) this.#fail(table, place, 'hash', id)
  }

  #fail(
    table: EvidenceFault['table'],
    { sourceId, revision }: RevisionCursor,
    fault: EvidenceFault['fault'],
    id: string | undefined,
  ): void {
    this.#counts.failed += 1
    if (this.#faults.length >= MAX_FAULTS) return
    this.#faults.push({
      table,
      source_id: sourceId,
      revision,
      ...(id !== undefined && { id }),
      fault,
    })
  }

  #query(statement: Statement): Promise<readonly Row[]> {
    const access = { read: this.#cited, write: NO_SCOPES }
    const options = { signal: this.#signal, readOnly: true }
    return this.#engine.withTransaction(access, options, (tx) => tx.query(statement))
  }
}

/** The text that was asked for last: evidence comes ordered by what it cites. */
class LastText {
  readonly #read: (place: RevisionCursor & { chunkId: string }) => Promise<string | undefined>
  #key = ''
  #text: string | undefined

  constructor(read: (place: RevisionCursor & { chunkId: string }) => Promise<string | undefined>) {
    this.#read = read
  }

  async get(place: RevisionCursor & { chunkId: string }): Promise<string | undefined> {
    const key = `${place.sourceId} ${place.revision} ${place.chunkId}`
    if (key !== this.#key) {
      this.#text = await this.#read(place)
      this.#key = key
    }
    return this.#text
  }
}

function toCursor(row: Row): RevisionCursor {
  return { sourceId: row['source_id'] as string, revision: row['revision'] as number }
}

function wholeOf(text: string): Span {
  return { start: 0, end: text.length }
}
