/**
 * A thread that takes documents apart, one after the other, and says what it found. Long lists go to and
 * fro in pages, and the next page only when it is asked for, so that the other side never has much to
 * read at once.
 */
import { parentPort } from 'node:worker_threads'

import { batches } from '../../core/batches.ts'
import { HeddleError, toWireError, type WireError } from '../../core/errors.ts'
import { lengthOfItem } from '../../items/index.ts'
import type { ParsedChunk, ParsedDocument, ParsedLink } from './document.ts'
import type { HeldChunk } from './match-chunks.ts'
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

/** What to plan; its held chunks come before it. */
export type ParseTask = Omit<PlanTask, 'held'> & {
  readonly held?: Omit<HeldPlan, 'chunks'> | undefined
}

export type ParseThreadInput =
  | { readonly kind: 'held'; readonly chunks: readonly HeldChunk[] }
  | { readonly kind: 'task'; readonly task: ParseTask }
  | { readonly kind: 'next' }

/** What is left of a result when its long lists are taken out. */
export type ParseRest = Omit<PlannedText, 'parsed' | 'items'> & {
  readonly parsed: Omit<ParsedDocument, 'text' | 'chunks' | 'links'>
}

export type ParseThreadReply =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'done'; readonly rest: ParseRest }
  | { readonly kind: 'failed'; readonly error: WireError }

/** Of one page: entries, and the text of items in UTF-16 code units. */
const PAGE = { size: 500, length: 200_000 }

let held: HeldChunk[] = []
let replies: Iterator<ParseThreadReply> | undefined

function* run({ held: before, ...task }: ParseTask): Generator<ParseThreadReply> {
  const { parsed, items, ...rest } = planText({
    ...task,
    held: before && { ...before, chunks: held },
  })
  held = []
  const { text: _, chunks, links = [], ...about } = parsed
  for (const page of batches(chunks, PAGE)) yield { kind: 'page', page: { chunks: page } }
  for (const page of batches(links, PAGE)) yield { kind: 'page', page: { links: page } }
  for (const page of batches(items, { ...PAGE, lengthOf: ({ item }) => lengthOfItem(item) })) {
    yield { kind: 'page', page: { items: page } }
  }
  yield { kind: 'done', rest: { parsed: about, ...rest } }
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
