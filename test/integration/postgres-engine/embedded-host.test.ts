/** Several processes on one data folder: who hosts, and what happens when the host dies, stops or leaves. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, realpath, rm, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { HeddleError } from '../../../src/core/errors.ts'
import { SILENT_LOGGER } from '../../../src/core/logger.ts'
import { socketFolderOf } from '../../../src/engines/postgres/embedded/socket-folder.ts'
import type { PooledEngine } from '../../../src/engines/postgres/pooled-engine.ts'
import type { Statement } from '../../../src/engines/postgres/statement.ts'
import { NO_SCOPES } from '../../../src/identity/scope.ts'
import { makeDataFolder, makeEmptyPath, openEmbeddedFolder } from '../../support/engines.ts'
import type { FolderCommand, FolderReport } from './folder-process.ts'

const NOTHING = { read: NO_SCOPES, write: NO_SCOPES }
const PROGRAM = fileURLToPath(new URL('./folder-process.ts', import.meta.url))

function sql(text: string): Statement {
  return { name: 'test.statement', text, values: [] }
}

type ReportOf<K extends FolderReport['kind']> = Extract<FolderReport, { kind: K }>

/** A child with its reports kept, so that none is missed. */
class FolderProcess {
  readonly child: ChildProcess
  readonly #reports: FolderReport[] = []
  #wake: () => void = () => undefined

  constructor(dataDir: string) {
    this.child = fork(PROGRAM, [dataDir], { execArgv: ['--import', 'tsx'] })
    this.child.on('message', (message: FolderReport) => {
      this.#reports.push(message)
      this.#wake()
    })
    this.child.on('exit', () => this.#wake())
  }

  tell(command: FolderCommand): void {
    this.child.send(command)
  }

  get reports(): readonly FolderReport[] {
    return this.#reports
  }

  async next<K extends FolderReport['kind']>(kind: K, index = 0): Promise<ReportOf<K>> {
    for (;;) {
      const found = this.#reports.filter((report): report is ReportOf<K> => report.kind === kind)[
        index
      ]
      if (found !== undefined) return found
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`The process ended before it said "${kind}".`)
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await exited
  }
}

describe('a data folder that several processes open', () => {
  let dataDir = ''
  const processes: FolderProcess[] = []
  const engines: PooledEngine[] = []

  beforeEach(async () => {
    dataDir = await makeDataFolder()
  })
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close()
    for (const started of processes.splice(0)) await started.end()
    await rm(dataDir, { recursive: true, force: true })
  })

  function start(): FolderProcess {
    const started = new FolderProcess(dataDir)
    processes.push(started)
    return started
  }

  async function open(
    options: Parameters<typeof openEmbeddedFolder>[1] = {},
  ): Promise<PooledEngine> {
    const engine = await openEmbeddedFolder(dataDir, { connectTimeoutMs: 30_000, ...options })
    engines.push(engine)
    return engine
  }

  async function makeTables(engine: PooledEngine): Promise<void> {
    await engine.run({ role: 'heddle_owner' }, {}, (tx) =>
      tx.runScript(
        'test.tables',
        `create table heddle.test_counter (value integer not null);
         insert into heddle.test_counter values (0);
         create table heddle.test_written (id integer primary key);
         grant select, insert, update on heddle.test_counter, heddle.test_written to heddle_app`,
      ),
    )
  }

  async function read(engine: PooledEngine, text: string): Promise<unknown> {
    const [row] = await engine.withTransaction(NOTHING, {}, (tx) => tx.query(sql(text)))
    return row
  }

  async function codeOf(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'none',
      (error: unknown) => (error instanceof HeddleError ? error.code : String(error)),
    )
  }

  it('adds up exactly what four processes count in parallel', async () => {
    const engine = await open()
    await makeTables(engine)
    const others = [start(), start(), start()]
    for (const other of others)
      expect(await other.next('open')).toEqual({ kind: 'open', isHost: false })
    for (const other of others) other.tell({ kind: 'increment', count: 20 })
    const own = Array.from({ length: 20 }, () =>
      engine.withTransaction(NOTHING, {}, (tx) =>
        tx.execute(sql('update heddle.test_counter set value = value + 1')),
      ),
    )
    await Promise.all(own)
    for (const other of others) expect(await other.next('done')).toEqual({ kind: 'done' })
    expect(await read(engine, 'select value from heddle.test_counter')).toEqual({ value: 80 })
  })

  it('loses no acknowledged write when its host is killed, and goes on under another', async () => {
    const host = start()
    expect((await host.next('open')).isHost).toBe(true)
    const engine = await open()
    await makeTables(engine)
    const writers = [start(), start()]
    for (const writer of writers) await writer.next('open')
    writers.forEach((writer, index) => {
      writer.tell({ kind: 'write', from: index * 1000 + 1, to: index * 1000 + 200 })
    })
    await Promise.all(writers.map((writer) => writer.next('written', 60)))
    host.child.kill('SIGKILL')
    const before = writers.map((writer) => writer.reports.length)
    await Promise.race(writers.map((writer) => writer.next('hosting')))
    await Promise.all(writers.map((writer, index) => writer.next('written', before[index])))
    for (const writer of writers) expect(await writer.next('done')).toEqual({ kind: 'done' })
    const acknowledged = writers.flatMap(({ reports }) =>
      reports.filter(({ kind }) => kind === 'written'),
    )
    expect(acknowledged).toHaveLength(400)
    expect(await read(engine, 'select count(*)::int as n from heddle.test_written')).toEqual({
      n: 400,
    })
    expect(
      writers.filter(({ reports }) => reports.some(({ kind }) => kind === 'hosting')),
    ).toHaveLength(1)
  })

  it('waits for a host that is only stopped, tells its callers to come later, and goes on with it', async () => {
    const host = start()
    await host.next('open')
    let isHosting = false
    const logger = {
      ...SILENT_LOGGER,
      info: (event: string) => (isHosting ||= event === 'engine.host_started'),
    }
    const engine = await open({ connectTimeoutMs: 3_000, logger })
    await makeTables(engine)

    const inside = codeOf(
      engine.withTransaction(NOTHING, {}, async (tx) => {
        await tx.execute(sql('update heddle.test_counter set value = 77'))
        host.child.kill('SIGSTOP')
        await tx.query(sql('select 1'))
      }),
    )
    expect(await inside).toBe('ENGINE_HOST_UNRESPONSIVE')
    const startedAt = performance.now()
    const calls = Array.from({ length: 4 }, () => codeOf(read(engine, 'select 1')))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['ENGINE_HOST_UNRESPONSIVE']))
    expect(performance.now() - startedAt).toBeLessThan(6_000)
    await expect(openEmbeddedFolder(dataDir, { connectTimeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'ENGINE_HOST_UNRESPONSIVE',
      retry: 'later',
    })
    expect(isHosting).toBe(false)

    host.child.kill('SIGCONT')
    let code: string
    do code = await codeOf(read(engine, 'select 1'))
    while (code === 'ENGINE_HOST_UNRESPONSIVE')
    expect(code).toBe('none')
    expect(await read(engine, 'select value from heddle.test_counter')).toEqual({ value: 0 })
    expect(isHosting).toBe(false)
  })

  it('is not held up by a client that stops or dies in its transaction', async () => {
    const engine = await open({ idleInTransactionMs: 1_000 })
    await makeTables(engine)
    const [stopped, dying] = [start(), start()]
    await stopped.next('open')
    await dying.next('open')
    stopped.tell({ kind: 'hold', ms: 600_000 })
    await stopped.next('holding')
    stopped.child.kill('SIGSTOP')
    expect(await read(engine, 'select value from heddle.test_counter')).toEqual({ value: 0 })
    stopped.child.kill('SIGCONT')

    dying.tell({ kind: 'hold', ms: 600_000 })
    await dying.next('holding')
    dying.child.kill('SIGKILL')
    expect(await read(engine, 'select value from heddle.test_counter')).toEqual({ value: 0 })
  })

  it('is handed over when its host closes: what is at work is finished, others are not disturbed', async () => {
    const host = await open()
    await makeTables(host)
    const [holder, next] = [start(), start()]
    await holder.next('open')
    await next.next('open')
    holder.tell({ kind: 'hold', ms: 500 })
    await holder.next('holding')
    next.tell({ kind: 'increment', count: 10 })
    await host.close()
    expect(await holder.next('done')).toEqual({ kind: 'done' })
    expect(await next.next('done')).toEqual({ kind: 'done' })
    const after = await open()
    expect(await read(after, 'select value from heddle.test_counter')).toEqual({ value: 1010 })
  })

  it('is initialised once by two processes that start at once', async () => {
    await rm(dataDir, { recursive: true, force: true })
    dataDir = makeEmptyPath()
    const [one, two] = [start(), start()]
    const opened = await Promise.all([one.next('open'), two.next('open')])
    expect(opened.filter(({ isHost }) => isHost)).toHaveLength(1)
    const engine = await open()
    expect((await engine.health({})).ok).toBe(true)
    expect((await stat(`${dataDir}/pg`)).mode & 0o077).toBe(0)
  })

  it('is initialised again when the first attempt was killed', async () => {
    await rm(dataDir, { recursive: true, force: true })
    dataDir = makeEmptyPath()
    await mkdir(`${dataDir}/pg.new/base`, { recursive: true })
    const engine = await open()
    expect((await engine.health({})).ok).toBe(true)
  })

  it('is not served from a socket folder that others can reach', async () => {
    const folder = socketFolderOf(await realpath(dataDir))
    await mkdir(folder)
    await chmod(folder, 0o755)
    await expect(openEmbeddedFolder(dataDir)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      details: { folder },
    })
    await rm(folder, { recursive: true })
    const engine = await open()
    expect((await engine.health({})).ok).toBe(true)
  })

  it('is shared by two engines of one process', async () => {
    const [one, two] = [await open(), await open()]
    await makeTables(one)
    expect(await read(two, 'select value from heddle.test_counter')).toEqual({ value: 0 })
    await one.close()
    expect(await read(two, 'select value from heddle.test_counter')).toEqual({ value: 0 })
  })
})
