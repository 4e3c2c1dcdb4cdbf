import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import { median, percentile, round } from './support/figures.ts'

const MAIN = fileURLToPath(new URL('../dist/app/main.js', import.meta.url))
const CALLS = 200
const ROUNDS = 3

/**
 * Process start to first answer of `heddle mcp` on the embedded engine, in a new folder (cold) and in
 * one that exists (warm), the latency of single kv calls through the same pipe, and how long a second
 * process on the folder is without an answer when the first, which hosts it, is killed. Median of three
 * rounds, the worst for the take-over.
 */
export async function runStartBench(): Promise<Readonly<Record<string, number>>> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound())
  return {
    cold_start_ms: median(rounds.map((round) => round.coldMs)),
    warm_start_ms: median(rounds.map((round) => round.warmMs)),
    kv_set_p95_ms: median(rounds.map((round) => round.setP95Ms)),
    kv_get_p95_ms: median(rounds.map((round) => round.getP95Ms)),
    tool_definition_tokens: rounds[0]?.toolTokens ?? Number.NaN,
    takeover_ms: Math.max(...rounds.map((round) => round.takeoverMs)),
    rss_mb: median(rounds.map((round) => round.rssMb)),
    rounds: ROUNDS,
    calls: CALLS,
  }
}

interface Round {
  readonly coldMs: number
  readonly warmMs: number
  readonly setP95Ms: number
  readonly getP95Ms: number
  readonly toolTokens: number
  readonly rssMb: number
  readonly takeoverMs: number
}

async function measureRound(): Promise<Round> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heddle-bench-'))
  try {
    const cold = await startSession(dataDir)
    await cold.stop()
    const warm = await startSession(dataDir)
    const setMs = await timeCalls(warm, (n) => ({
      op: 'kv.set',
      args: { key: `k${n % 50}`, value: { n } },
    }))
    const getMs = await timeCalls(warm, (n) => ({ op: 'kv.get', args: { key: `k${n % 50}` } }))
    const { tools } = (await warm.request('tools/list', {})) as { tools: unknown }
    const rssMb = await warm.rssMb()
    const takeoverMs = await measureTakeover(dataDir, warm)
    return {
      coldMs: cold.firstAnswerMs,
      warmMs: warm.firstAnswerMs,
      setP95Ms: round(percentile(setMs, 0.95), 2),
      getP95Ms: round(percentile(getMs, 0.95), 2),
      toolTokens: countTokens(JSON.stringify(tools)),
      rssMb,
      takeoverMs,
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Kills the host and asks the other process until it answers. */
async function measureTakeover(dataDir: string, host: Session): Promise<number> {
  const other = await startSession(dataDir)
  const killedMs = performance.now()
  await host.kill()
  for (;;) {
    try {
      await callMemoryTool(other.request, { op: 'kv.get', args: { key: 'k1' } })
      break
    } catch {
      // The call that was in flight may fail; the next one waits for the new host.
    }
  }
  const takeoverMs = Math.round(performance.now() - killedMs)
  await other.stop()
  return takeoverMs
}

interface Session {
  readonly firstAnswerMs: number
  readonly request: (method: string, params: unknown) => Promise<unknown>
  rssMb(): Promise<number>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** Speaks the bare protocol, so that no client library is part of the measurement. */
async function startSession(dataDir: string): Promise<Session> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [MAIN, 'mcp'], {
    env: { ...process.env, HEDDLE_DATA_DIR: dataDir, HEDDLE_LOG_LEVEL: 'error', DATABASE_URL: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const waiting = new Map<number, (message: { result?: unknown; error?: unknown }) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown }
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  let nextId = 1
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const request = (method: string, params: unknown): Promise<unknown> => {
    const id = nextId++
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(JSON.stringify(error)))
      })
      send({ id, method, params })
    })
  }
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  await callMemoryTool(request, { op: 'kv.list', args: {} })
  return {
    firstAnswerMs: Math.round(performance.now() - startedMs),
    request,
    rssMb: async () => {
      const status = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8')
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
    },
    stop: async () => {
      child.stdin.end()
      await exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function callMemoryTool(request: Session['request'], args: object): Promise<void> {
  const result = (await request('tools/call', { name: 'memory', arguments: args })) as {
    isError?: boolean
  }
  if (result.isError === true) throw new Error(JSON.stringify(result))
}

async function timeCalls(session: Session, make: (n: number) => object): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < CALLS; n += 1) {
    const startedMs = performance.now()
    await callMemoryTool(session.request, make(n))
    times.push(performance.now() - startedMs)
  }
  return times
}
