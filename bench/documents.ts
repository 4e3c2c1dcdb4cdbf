import { monitorEventLoopDelay } from 'node:perf_hooks'

import type { Heddle, Identity, OperationName } from '../src/index.ts'
import { parseMarkdownDocument } from '../src/planes/documents/parse-markdown-document.ts'
import { median, round } from './support/figures.ts'
import { makeDocument, readMarkdownCorpus } from './support/markdown-corpus.ts'
import { openNative } from './support/open-native.ts'

const ROUNDS = 3
const CONCURRENCY = 4
const FEW_FILES = 1_000
const MANY_FILES = 10_000
const FILE_LENGTH = 3_000
const LARGE_LENGTH = 300_000
const UPDATES = 10
/** How often the event loop is looked at, in milliseconds; a look is late by what blocked it. */
const RESOLUTION_MS = 1

/**
 * What the documents plane costs on the native engine, in this process: parsing and chunking on one core,
 * importing 10,000 files four at a time, the memory that the last 9,000 of them took, a word changed at
 * the end of 300 kB, and the longest time the event loop was blocked while documents were written.
 */
export async function runDocumentsBench(): Promise<Readonly<Record<string, number>>> {
  const corpus = await readMarkdownCorpus()
  const parse = Array.from({ length: ROUNDS }, () => measureParsing(corpus))
  await using native = await openNative()
  const { heddle } = native
  const identity = await heddle.openLocalIdentity({ signal: NEVER, withRun: false })
  const call = makeCaller(heddle, identity)
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  loop.enable()
  const imports = await measureImports(call)
  const updateMs = await measureUpdates(call)
  loop.disable()
  return {
    parse_mb_per_s_per_core: round(median(parse), 3),
    import_files_per_s: round(imports.filesPerSecond, 1),
    rss_growth_mb: round(imports.growthMb, 1),
    update_300kb_ms: round(Math.max(...updateMs), 0),
    update_300kb_median_ms: round(median(updateMs), 0),
    max_event_loop_block_ms: round(loop.max / 1e6 - RESOLUTION_MS, 1),
    corpus_files: corpus.length,
    corpus_mb: round(megabytes(corpus), 2),
    files: MANY_FILES,
  }
}

const NEVER = new AbortController().signal

type Call = (op: OperationName, args: object) => Promise<unknown>

function makeCaller(heddle: Heddle, identity: Identity): Call {
  return async (op, args) => {
    const reply = await heddle.call(identity, { op, args }, { signal: NEVER })
    if (!reply.ok) throw new Error(`${op}: ${reply.error.code} ${reply.error.message}`)
    return reply.result
  }
}

/** Megabytes of UTF-8 per second in this thread, the work that a parse thread does. */
function measureParsing(corpus: readonly string[]): number {
  const startedMs = performance.now()
  for (const text of corpus) {
    try {
      parseMarkdownDocument(text)
    } catch (error) {
      // A page whose front matter does not parse is refused; finding that out is work as well.
      if (!(error instanceof Error)) throw error
    }
  }
  return megabytes(corpus) / ((performance.now() - startedMs) / 1000)
}

async function measureImports(call: Call): Promise<{ filesPerSecond: number; growthMb: number }> {
  await importFiles(call, 0, FEW_FILES)
  const before = rssMb()
  const startedMs = performance.now()
  await importFiles(call, FEW_FILES, MANY_FILES)
  const seconds = (performance.now() - startedMs) / 1000
  return { filesPerSecond: (MANY_FILES - FEW_FILES) / seconds, growthMb: rssMb() - before }
}

async function importFiles(call: Call, from: number, to: number): Promise<void> {
  let next = from
  const work = async (): Promise<void> => {
    while (next < to) {
      const number = next
      next += 1
      const path = `corpus/${Math.floor(number / 100)}/${number}.md`
      await call('doc.import', { path, content: makeDocument(number, FILE_LENGTH) })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

async function measureUpdates(call: Call): Promise<readonly number[]> {
  const text = makeDocument(1, LARGE_LENGTH)
  await call('doc.import', { path: 'large.md', content: text })
  const times: number[] = []
  for (let number = 0; number < UPDATES; number += 1) {
    const startedMs = performance.now()
    await call('doc.import', { path: 'large.md', content: `${text}\nLast word ${number}.\n` })
    times.push(performance.now() - startedMs)
  }
  return times
}

function rssMb(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss() / 2 ** 20
}

function megabytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6
}
