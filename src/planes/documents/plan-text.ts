import type { SourceDescription } from '../../evidence/index.ts'
import { type ItemInput, type PreparedItem, prepareItem } from '../../items/index.ts'
import { isLeaf, type ParsedChunk, type ParsedDocument } from './document.ts'
import { type HeldText, type IndexMatch, matchIndexes } from './match-chunks.ts'
import { parseMarkdownDocument, type ParseOptions } from './parse-markdown-document.ts'
import { parsePlainText } from './parse-plain-text.ts'

/** What the caller says of a document; what is absent is taken from the text. */
export interface GivenDescription {
  readonly title?: string | undefined
  readonly type?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly observedAt?: SourceDescription['observedAt'] | undefined
}

/** What a text is planned against and for; plain data. */
export interface PlanTask {
  readonly text: string
  /** Default: Markdown. */
  readonly syntax?: 'plain' | undefined
  readonly options: ParseOptions
  readonly path?: string | undefined
  readonly given: GivenDescription
  readonly held?: HeldPlan | undefined
  /** Of an edit of the structure: the ids of all sections that come out of it, in order. */
  readonly sectionIds?: readonly string[] | undefined
}

/** The revision before, as far as planning needs it. */
export interface HeldPlan extends HeldText {
  readonly description: SourceDescription
  readonly path?: string | undefined
}

/** The recall item of one chunk, analysed; record id, source and revision are added when it is written. */
export interface PlannedItem {
  /** Index in `parsed.chunks`. */
  readonly chunk: number
  readonly item: PreparedItem
}

/** A planned text before anything in it has an id. */
export interface PlannedText {
  readonly parsed: ParsedDocument
  readonly description: SourceDescription
  readonly match: IndexMatch
  readonly items: readonly PlannedItem[]
  /** Chunks that recall may still hold and no longer finds by themselves; indexes. */
  readonly silent: readonly number[]
}

/**
 * Takes a text apart, matches its chunks and analyses what recall has to learn of them, in this thread.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `DOCUMENT_TOO_COMPLEX`.
 */
export function planText(task: PlanTask): PlannedText {
  const { text, options, held, given, path, sectionIds } = task
  const parse = task.syntax === 'plain' ? parsePlainText : parseMarkdownDocument
  const parsed = parse(text, options)
  const match = matchIndexes(held ?? { text: '', chunks: [] }, parsed, sectionIds)
  const description = describe(given, parsed)
  const isRedescribed =
    held === undefined || carried(held.description, held.path) !== carried(description, path)
  const sections = held?.chunks.filter((old) => !old.isLeaf) ?? []
  const withSubsections = new Set(sections.map(({ parentId }) => parentId))
  const changed = [...parsed.chunks.entries()].filter(([index, chunk]) => {
    const old = held?.chunks[match.continues[index] ?? -1]
    if (!isLeaf(chunk)) return false
    if (isRedescribed || old === undefined || !isSameItem(old, chunk)) return true
    // Whether a heading is recalled depends on the sections after it.
    return chunk.type === 'heading' && chunk.isRecalled === withSubsections.has(old.parentId)
  })
  return {
    parsed,
    description,
    match,
    items: changed
      .filter(([, { isRecalled }]) => isRecalled)
      .map(([chunk, found]) => ({
        chunk,
        item: prepareItem(toItem(found, text, description, path)),
      })),
    silent: changed
      .filter(([index, { isRecalled }]) => !isRecalled && (match.continues[index] ?? -1) >= 0)
      .map(([index]) => index),
  }
}

function describe(given: GivenDescription, parsed: ParsedDocument): SourceDescription {
  const title = given.title ?? parsed.title
  const type = given.type ?? parsed.type
  const { observedAt } = given
  return {
    tags: given.tags ?? parsed.tags ?? [],
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(observedAt !== undefined && { observedAt }),
    ...(parsed.fields !== undefined && { fields: parsed.fields }),
  }
}

/** What every item of a document carries beside its own text. */
function carried(description: SourceDescription, path: string | undefined): string {
  const { title, type, tags, observedAt } = description
  return JSON.stringify([title, type, tags, observedAt, path])
}

function isSameItem(old: HeldText['chunks'][number], chunk: ParsedChunk): boolean {
  return (
    old.quote.hash === chunk.quote.hash &&
    old.type === chunk.type &&
    isSameList(old.headingPath, chunk.headingPath) &&
    isSameList(old.tags ?? [], chunk.tags ?? [])
  )
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

function toItem(
  chunk: ParsedChunk,
  text: string,
  description: SourceDescription,
  path: string | undefined,
): Omit<ItemInput, 'recordId' | 'sourceId' | 'revision'> {
  const title = titleOf(description, chunk)
  const type = chunk.isTyped === true ? chunk.type : description.type
  return {
    kind: 'chunk',
    text: text.slice(chunk.quote.start, chunk.quote.end),
    tags: [...new Set([...description.tags, ...(chunk.tags ?? [])])],
    ...(chunk.searchText !== undefined && { searchText: chunk.searchText }),
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(path !== undefined && { path }),
    ...(description.observedAt !== undefined && { observedAt: description.observedAt }),
  }
}

/** The document's title, then the headings; once where the first heading is the title. */
function titleOf({ title }: SourceDescription, { headingPath }: ParsedChunk): string | undefined {
  const parts =
    title === undefined || headingPath[0] === title ? headingPath : [title, ...headingPath]
  const joined = parts.filter((part) => part !== '').join(' > ')
  return joined === '' ? undefined : joined
}
