import type { ChunkId, NewId } from '../../core/ids.ts'
import type { SourceDescription } from '../../evidence/index.ts'
import type { ParsedDocument } from './document.ts'
import { assignIds, type ChunkMatch, type HeldChunk } from './match-chunks.ts'
import type { ParseOptions } from './parse-markdown-document.ts'
import { ParsePool } from './parse-pool.ts'
import type { GivenDescription, PlannedItem } from './plan-text.ts'

/** The newest revision of a document, which a new text is planned against. */
export interface HeldRevision {
  readonly revision: number
  readonly text: string
  /** All of them, sections too, in document order. */
  readonly chunks: readonly HeldChunk[]
  readonly description: SourceDescription
  readonly path?: string | undefined
}

/** Of this process: no look at a text tells how long taking it apart will keep a thread. */
const pool = new ParsePool()

/** What is known of a document beside its text. */
export interface PlanContext {
  readonly newId: NewId
  /** Whose document it is. */
  readonly tenant: string
  /** Default: Markdown. */
  readonly syntax?: 'plain'
  readonly path?: string | undefined
  readonly given: GivenDescription
  /** Of an edit of the structure: the ids of all sections that come out of it, in order. */
  readonly sectionIds?: readonly string[] | undefined
}

/** Everything that writing a revision takes, made without a transaction. */
export interface RevisionPlan {
  /** The revision that it was planned against; 0 when there was none. Holds only while that is the newest. */
  readonly base: number
  readonly parsed: ParsedDocument
  /** Given, else from the text. */
  readonly description: SourceDescription
  readonly match: ChunkMatch
  /** Items of chunks that are new or whose item changes. */
  readonly items: readonly PlannedItem[]
  /** Chunks to take out of recall: those that are gone, and those that recall no longer finds by themselves. */
  readonly unrecalled: readonly ChunkId[]
}

/**
 * Takes a text apart, finds which held chunks live on in it, and analyses what recall has to learn, all
 * in a thread. Runs outside of any transaction.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `DOCUMENT_TOO_COMPLEX`, `CANCELLED`.
 */
export async function planRevision(
  text: string,
  held: HeldRevision | undefined,
  { newId, tenant, syntax, path, given, sectionIds }: PlanContext,
  options: ParseOptions,
  signal: AbortSignal,
): Promise<RevisionPlan> {
  const task = { text, syntax, options, path, given, held, sectionIds }
  const planned = await pool.plan(task, { signal, tenant })
  const match = assignIds(held?.chunks ?? [], planned.match, newId)
  const silent = planned.silent.map((index) => match.ids[index] as ChunkId)
  return {
    base: held?.revision ?? 0,
    parsed: planned.parsed,
    description: planned.description,
    match,
    items: planned.items,
    unrecalled: [...match.gone, ...silent],
  }
}
