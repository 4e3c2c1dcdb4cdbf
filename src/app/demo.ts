import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import type { DemoOptions } from '../cli/deps.ts'
import { loadConfig } from '../config/load-config.ts'
import { toHeddleError, toWireError } from '../core/errors.ts'
import { failureFields } from '../core/failure-fields.ts'
import { makeJsonLogger } from '../core/logger.ts'
import type { Identity } from '../identity/identity.ts'
import type { Heddle } from '../memory/heddle.ts'
import type { OperationArgs, OperationName, OperationResult } from '../memory/registry.ts'
import { openHeddle } from './open-heddle.ts'
import { renderDemo } from './render-demo.ts'

/** Beside `dist` in the package and beside `src` in a checkout. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const QUESTIONS: readonly OperationArgs<'recall'>[] = [
  { query: 'Which scope does a write go to when none is named?', top_k: 3 },
  {
    query: 'When is the Lisbon workshop and who teaches the second day?',
    top_k: 3,
    sources: { kinds: ['turn'] },
  },
  { query: 'What has the reference ZK-4417?', top_k: 3, kinds: ['turn', 'kv'] },
]

type Recall = OperationResult<'recall'>

/** What the demo did and what came back; printed whole by `--json`. */
export interface DemoReport {
  readonly ok: true
  readonly engine: string
  readonly documents: { readonly files: number; readonly chunks: number }
  readonly conversation: { readonly turns: number; readonly added_again: number }
  readonly kv: {
    readonly written: unknown
    readonly counter: number
    readonly history: number
  }
  readonly recalls: readonly (Recall & { readonly query: string })[]
  readonly seconds: number
}

/** The main job on real input, on the embedded engine in a folder that is removed afterwards. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heddle-demo-'))
  try {
    const report = await withHeddle(dataDir, (heddle) => perform(heddle, options))
    write(options.stdout, options.isJson ? JSON.stringify(report) : renderDemo(report, options))
    return 0
  } catch (thrown) {
    const failure = toHeddleError(thrown)
    const error = toWireError(failure)
    makeJsonLogger('error', (line) => options.stderr.write(line)).error(
      'demo.failed',
      failureFields(failure),
    )
    write(options.isJson ? options.stdout : options.stderr, JSON.stringify({ ok: false, error }))
    return 1
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

function write(stream: Writable, line: string): void {
  stream.write(`${line}\n`)
}

/** Nothing of the operator's settings is used: the demo shows the defaults, and leaves no traces. */
async function withHeddle<T>(dataDir: string, fn: (heddle: Heddle) => Promise<T>): Promise<T> {
  const config = loadConfig(
    {},
    { HEDDLE_DATA_DIR: dataDir, HEDDLE_USER: 'mara', HEDDLE_LOG_LEVEL: 'error' },
  )
  await using heddle = await openHeddle(config)
  return await fn(heddle)
}

async function perform(heddle: Heddle, options: DemoOptions): Promise<DemoReport> {
  const startedMs = performance.now()
  const say = (text: string): void => {
    if (!options.isJson) write(options.stderr, text)
  }
  const identity = await heddle.openLocalIdentity({ signal: options.signal, withRun: true })
  const call = makeCaller(heddle, identity, options.signal)
  say('Importing docs/ …')
  const documents = await importDocs(call)
  say('Observing a conversation …')
  const conversation = await observeConversation(call)
  say('Writing and reading entries …')
  const kv = await useEntries(call)
  say('Asking …')
  const recalls: DemoReport['recalls'][number][] = []
  for (const question of QUESTIONS) {
    recalls.push({ query: question.query, ...(await call('recall', question)) })
  }
  await heddle.endLocalRun(identity, { signal: options.signal })
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10
  return { ok: true, engine: 'embedded PostgreSQL', documents, conversation, kv, recalls, seconds }
}

type Caller = <N extends OperationName>(
  op: N,
  args: OperationArgs<N>,
  scope?: string,
) => Promise<OperationResult<N>>

function makeCaller(heddle: Heddle, identity: Identity, signal: AbortSignal): Caller {
  return async <N extends OperationName>(op: N, args: OperationArgs<N>, scope?: string) => {
    const request = { op, args, ...(scope !== undefined && { scope }) }
    const reply = await heddle.call(identity, request, { signal })
    if (!reply.ok) throw new Error(`${op}: ${reply.error.message}`)
    return reply.result as OperationResult<N>
  }
}

async function importDocs(call: Caller): Promise<DemoReport['documents']> {
  const folder = join(ROOT, 'docs')
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'))
  let chunks = 0
  for (const name of names.sort()) {
    const path = posix.join('docs', name.replaceAll('\\', '/'))
    const content = await readFile(join(folder, name), 'utf8')
    chunks += (await call('doc.import', { path, content }, 'tenant')).chunks.total
  }
  return { files: names.length, chunks }
}

async function observeConversation(call: Caller): Promise<DemoReport['conversation']> {
  const text = await readFile(join(ROOT, 'examples', 'demo', 'conversation.json'), 'utf8')
  const args = JSON.parse(text) as OperationArgs<'observe'>
  const first = await call('observe', args)
  // A client that sends its whole transcript again adds nothing.
  const again = await call('observe', args)
  return { turns: first.added, added_again: again.added }
}

async function useEntries(call: Caller): Promise<DemoReport['kv']> {
  const key = 'orders/notebooks'
  await call('kv.set', { key, value: { reference: 'ZK-4417', count: 12 } })
  await call('kv.merge', { key, patch: { colour: 'blue', confirmed: true } })
  await call('kv.incr', { key: 'stats/orders' })
  const counter = await call('kv.incr', { key: 'stats/orders', by: 2 })
  const { value } = await call('kv.get', { key })
  const history = await call('kv.history', { key })
  return { written: value, counter: counter.value, history: history.total }
}
