/**
 * A thread that takes documents apart, one after the other, and says what it found. Long lists go to and
 * fro in pages, and the next page only when it is asked for, so that the other side never has much to
 * read at once.
 */
import { parentPort } from 'node:worker_threads'

import { HeddleError, toWireError, type WireError } from '../../core/errors.ts'
import type { ParsedChunk, ParsedDocument, ParsedLink } from './document.ts'
import type { HeldChunk } from './match-chunks.ts'
import { parseMarkdownDocument, type ParseOptions } from './parse-markdown-document.ts'
import {
  type HeldPlan,
  type PlannedItem,
  type PlannedText,
  type PlanTask,
  planText,
} from './plan-text.ts'

/** What a document's parts are paged as. */
export interface Page {
  readonly chunks?: readonly ParsedChunk[]
  readonly links?: readonly ParsedLink[]
  readonly items?: readonly PlannedItem[]
}

/** A plan, or only the parsing of a text; its held chunks come before it. */
export interface ParseTask {
  readonly text: string
  readonly options: ParseOptions
  readonly plan?: Pick<PlanTask, 'path' | 'given'> & {
    readonly held?: Omit<HeldPlan, 'chunks'> | undefined
  }
}

export type ParseThreadInput =
  | { readonly kind: 'held'; readonly chunks: readonly HeldChunk[] }
  | { readonly kind: 'task'; readonly task: ParseTask }
  | { readonly kind: 'next' }

/** What is left of a result when its long lists are taken out. */
export interface ParseRest {
  readonly parsed: Omit<ParsedDocument, 'text' | 'chunks' | 'links'>
  readonly plan?: Omit<PlannedText, 'parsed' | 'items'>
}

export type ParseThreadReply =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'done'; readonly rest: ParseRest }
  | { readonly kind: 'failed'; readonly error: WireError }

/** Entries of one page. */
const PAGE_SIZE = 500
/** Text of the items of one page, UTF-16 code units. */
const PAGE_LENGTH = 200_000

let held: HeldChunk[] = []
let replies: Iterator<ParseThreadReply> | undefined

function* run({ text, options, plan }: ParseTask): Generator<ParseThreadReply> {
  const planned =
    plan && planText({ text, options, ...plan, held: plan.held && { ...plan.held, chunks: held } })
  held = []
  const {
    text: _,
    chunks,
    links = [],
    ...rest
  } = planned?.parsed ?? parseMarkdownDocument(text, options)
  for (const page of pages(chunks)) yield { kind: 'page', page: { chunks: page } }
  for (const page of pages(links)) yield { kind: 'page', page: { links: page } }
  if (planned === undefined) {
    yield { kind: 'done', rest: { parsed: rest } }
    return
  }
  const { description, match, items, silent } = planned
  for (const page of pages(items, itemLength)) yield { kind: 'page', page: { items: page } }
  yield { kind: 'done', rest: { parsed: rest, plan: { description, match, silent } } }
}

function* pages<T>(values: readonly T[], lengthOf?: (value: T) => number): Iterable<readonly T[]> {
  let page: T[] = []
  let length = 0
  for (const value of values) {
    page.push(value)
    length += lengthOf?.(value) ?? 0
    if (page.length < PAGE_SIZE && length < PAGE_LENGTH) continue
    yield page
    page = []
    length = 0
  }
  if (page.length > 0) yield page
}

function itemLength({ item }: PlannedItem): number {
  return item.text.length + item.lexemes.length
}

function nextReply(): ParseThreadReply | undefined {
  try {
    return replies?.next().value as ParseThreadReply | undefined
  } catch (error) {
    held = []
    if (error instanceof HeddleError) return { kind: 'failed', error: toWireError(error) }
    // Containers nested so deeply that the parser's own stack ends.
    if (error instanceof RangeError) {
      return { kind: 'failed', error: toWireError(new HeddleError('DOCUMENT_TOO_COMPLEX')) }
    }
    throw error
  }
}

parentPort?.on('message', (input: ParseThreadInput) => {
  if (input.kind === 'held') {
    for (const chunk of input.chunks) held.push(chunk)
    return
  }
  if (input.kind === 'task') replies = run(input.task)
  const reply = nextReply()
  if (reply !== undefined) parentPort?.postMessage(reply)
})
