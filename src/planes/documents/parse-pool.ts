import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

import { batches } from '../../core/batches.ts'
import { fromWireError, HeddleError, type WireError } from '../../core/errors.ts'
import { startThread } from '../../core/start-thread.ts'
import { askThread } from './ask-thread.ts'
import type { ParsedChunk, ParsedLink } from './document.ts'
import type { HeldChunk } from './match-chunks.ts'
import type { Page, ParseThreadInput, ParseThreadReply } from './parse-thread.ts'
import type { PlannedItem, PlannedText, PlanTask } from './plan-text.ts'
import { TurnQueue } from './turn-queue.ts'

/** Texts that are parsed at once; more wait. Each thread takes some 100 MB while it works. */
const MAX_THREADS = 2

/**
 * In milliseconds, and for each MiB of text. Several times what honest documents take on a busy machine;
 * one made to be slow ends here.
 */
const PARSE_LIMIT_MS = 10_000
const PARSE_LIMIT_MS_PER_MIB = 30_000

/** Room for what parsing makes and drops at once: without it a fifth of the time goes into clearing it away. */
const THREAD = { name: 'heddle-parse', resourceLimits: { maxYoungGenerationSizeMb: 64 } }

/** Held chunks that are handed over at once. */
const PAGE_SIZE = 500

const ENTRY = new URL('./parse-thread.ts', import.meta.url)

type Final = Exclude<ParseThreadReply, { readonly kind: 'page' }>

/** Whose text it is. */
export interface ParseCaller {
  readonly signal: AbortSignal
  /** Waiting texts are taken tenant by tenant. */
  readonly tenant: string
}

/**
 * Threads that take documents apart, one text at a time each. They are started when they are needed,
 * kept for the next text, and do not keep the process alive. One that runs past its limit, or whose
 * text was given up, is ended.
 */
export class ParsePool {
  #idle: Worker[] = []
  readonly #turns = new TurnQueue(MAX_THREADS)

  /** @throws HeddleError `DOCUMENT_TOO_COMPLEX`, `CANCELLED`, and what parsing throws. */
  async plan(task: PlanTask, { signal, tenant }: ParseCaller): Promise<PlannedText> {
    await this.#turns.enter(tenant)
    try {
      if (signal.aborted) throw new HeddleError('CANCELLED')
      return await this.#run(task, signal)
    } finally {
      this.#turns.leave()
    }
  }

  async #run(task: PlanTask, signal: AbortSignal): Promise<PlannedText> {
    const worker = this.#idle.pop() ?? startThread(ENTRY, THREAD)
    worker.ref()
    const answer = await this.#ask(worker, task, signal)
    worker.unref()
    this.#idle.push(worker)
    if ('parsed' in answer) return answer
    throw fromWireError(answer)
  }

  async #ask(
    worker: Worker,
    task: PlanTask,
    signal: AbortSignal,
  ): Promise<PlannedText | WireError> {
    try {
      return await new Conversation(worker, signal).ask(task)
    } catch (error) {
      await worker.terminate()
      throw error
    }
  }
}

/** One text handed to a thread, and the pages of what comes back. */
class Conversation {
  readonly #worker: Worker
  readonly #signal: AbortSignal
  readonly #chunks: ParsedChunk[] = []
  readonly #links: ParsedLink[] = []
  readonly #items: PlannedItem[] = []

  constructor(worker: Worker, signal: AbortSignal) {
    this.#worker = worker
    this.#signal = signal
  }

  /** What the thread found, or why it refused the text. */
  async ask(task: PlanTask): Promise<PlannedText | WireError> {
    const limitMs = PARSE_LIMIT_MS + (task.text.length / 2 ** 20) * PARSE_LIMIT_MS_PER_MIB
    const reply = await askThread<ParseThreadReply, Final>(this.#worker, {
      signal: this.#signal,
      limitMs: Math.round(limitMs),
      ask: () => this.#hand(task),
      take: (message) => {
        if (message.kind !== 'page') return message
        this.#take(message.page)
        return undefined
      },
    })
    if (reply.kind === 'failed') return reply.error
    const { parsed, ...rest } = reply.rest
    const links = this.#links.length > 0 && { links: this.#links }
    return {
      ...rest,
      parsed: { text: task.text, chunks: this.#chunks, ...links, ...parsed },
      items: this.#items,
    }
  }

  async #hand({ held, ...task }: PlanTask): Promise<void> {
    for (const page of batches(held?.chunks ?? [], { size: PAGE_SIZE })) {
      this.#send({ kind: 'held', chunks: page.map(toPlainChunk) })
      await setImmediate()
    }
    const before = held && { text: held.text, description: held.description, path: held.path }
    this.#send({ kind: 'task', task: { ...task, held: before } })
  }

  #take({ chunks = [], links = [], items = [] }: Page): void {
    this.#chunks.push(...chunks)
    this.#links.push(...links)
    this.#items.push(...items)
    this.#send({ kind: 'next' })
  }

  #send(input: ParseThreadInput): void {
    this.#worker.postMessage(input)
  }
}

/** Only what planning reads, whatever else the caller's chunk has. */
function toPlainChunk(chunk: HeldChunk): HeldChunk {
  const { chunkId, parentId, isLeaf, type, headingPath, quote, tags } = chunk
  return {
    chunkId,
    isLeaf,
    type,
    headingPath,
    quote,
    ...(parentId !== undefined && { parentId }),
    ...(tags !== undefined && { tags }),
  }
}
