import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { WireError } from '../../../src/core/errors.ts'
import type { PostgresEngine } from '../../../src/engines/postgres/engine.ts'
import { makeDataFolder, openEmbeddedFolder } from '../../support/engines.ts'
import { type Finished, runProgram } from '../support/program.ts'
import { runInProcess } from '../support/run-in-process.ts'

const WORDS = 'Привет ข้อความ 👩‍🚀 größe 東京'

describe('the command line', () => {
  let dataDir: string
  let work: string
  /** Hosts the folder, so that each command only has to connect. */
  let host: PostgresEngine

  beforeAll(async () => {
    dataDir = await makeDataFolder()
    host = await openEmbeddedFolder(dataDir)
    work = await mkdtemp(join(tmpdir(), 'heddle-cli-'))
  })

  afterAll(async () => {
    await host.close()
    await rm(dataDir, { recursive: true, force: true })
    await rm(work, { recursive: true, force: true })
  })

  const heddle = (words: readonly string[], stdin = ''): Promise<Finished> =>
    runInProcess(words, { HEDDLE_DATA_DIR: dataDir }, stdin)

  /** The one JSON object that a command prints, and its exit code. */
  async function json(words: readonly string[], stdin?: string): Promise<[number | null, unknown]> {
    const { code, stdout } = await heddle([...words, '--json'], stdin)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    return [code, JSON.parse(stdout)]
  }

  it('prepares the folder and says how a client connects', async () => {
    const [code, said] = await json(['init'])
    expect(code).toBe(0)
    expect(said).toMatchObject({
      ok: true,
      engine: 'embedded',
      mcp_client: { mcpServers: { heddle: { args: ['mcp'], env: { HEDDLE_DATA_DIR: dataDir } } } },
    })
  })

  it('works with entries by words, in any script', async () => {
    expect(await json(['kv', 'set', WORDS, `{"w":"${WORDS}"}`])).toMatchObject([0, { ok: true }])
    expect(await json(['kv', 'get', WORDS])).toMatchObject([0, { result: { value: { w: WORDS } } }])
    const shown = await runProgram(['kv', 'get', WORDS], { HEDDLE_DATA_DIR: dataDir, LC_ALL: 'C' })
    expect(shown.stdout).toContain(WORDS)
    expect(await json(['kv', 'incr', 'n', '-5'])).toMatchObject([0, { result: { value: -5 } }])
    expect(await json(['kv', 'append_unique', 'tags', 'a', 'b', 'a'])).toMatchObject([
      0,
      { result: { added: 2 } },
    ])
    expect(
      await json(['kv', 'set', 's', 'v', '--scope', 'tenant', '--ttl-seconds', '60']),
    ).toMatchObject([0, { scopes: ['tenant'] }])
    const call = ['call', 'kv.set', '--args', '-']
    expect(await json(call, '{"key":"from stdin","value":[1,2]}')).toMatchObject([0, { ok: true }])
  })

  it('repeats a write safely under one idempotency key', async () => {
    const words = ['kv', 'incr', 'once', '--idempotency-key', 'k-1']
    expect(await json(words)).toMatchObject([0, { result: { value: 1 } }])
    expect(await json(words)).toMatchObject([
      0,
      { result: { value: 1 }, notes: [{ code: 'idempotent_replay' }] },
    ])
  })

  it('imports folders, counts what happened, and recalls with citations', async () => {
    await mkdir(join(work, 'größe'), { recursive: true })
    await writeFile(
      join(work, 'größe', '東京 1.md'),
      `# ${WORDS}\n\nMarker ZK-4417 belongs to the blue crate.\n`,
    )
    await writeFile(join(work, 'plain.md'), '# Plain\n\nNothing here.\n')
    await writeFile(join(work, 'binary.md'), Buffer.of(0xff, 0xfe, 0x00))
    const words = ['import', work, '--prefix', 'docs']
    const [code, said] = await json(words)
    expect(code).toBe(2)
    expect(said).toMatchObject({
      ok: false,
      imported: 2,
      changed: 0,
      unchanged: 0,
      failed: 1,
      failures: [{ path: 'docs/binary.md', code: 'INPUT_INVALID' }],
    })
    await writeFile(join(work, 'plain.md'), '# Plain\n\nSomething else.\n')
    const again = await json([...words, '--exclude', 'binary.*'])
    expect(again).toMatchObject([0, { ok: true, imported: 0, changed: 1, unchanged: 1, failed: 0 }])
    expect(await json(['import', '-', '--path', 'notes/today.md'], '# Today\n')).toMatchObject([
      0,
      { imported: 1 },
    ])

    const { code: found, stdout } = await heddle(['recall', 'ZK-4417'])
    expect(found).toBe(0)
    expect(stdout).toContain('docs/größe/東京 1.md')
    expect(stdout).toContain('Marker ZK-4417 belongs to the blue crate.')
    expect(stdout).toMatch(/revision 1\s+\[\d+, \d+\)/)
    expect(stdout).not.toContain('\u001b')
  })

  it('observes a text, a transcript and lines of turns', async () => {
    expect(await json(['observe', `A word: ${WORDS}`])).toMatchObject([0, { result: { added: 1 } }])
    const turns = [
      { role: 'user', content: 'Where is the red crate?' },
      { role: 'assistant', content: 'At dock 9.' },
    ]
    const file = ['observe', '--file', '-', '--conversation', 'standup']
    expect(await json(file, JSON.stringify(turns))).toMatchObject([
      0,
      { result: { added: 2, conversation: 'standup' } },
    ])
    const lines = turns.map((turn) => JSON.stringify(turn)).join('\n')
    expect(await json(file, lines)).toMatchObject([0, { result: { added: 0, skipped: 2 } }])
    expect((await json(['observe']))[0]).toBe(2)
  })

  it('manages tenants and keys', async () => {
    expect((await json(['tenants', 'create', 'north']))[0]).toBe(0)
    expect(await json(['tenants', 'create', 'north'])).toMatchObject([
      5,
      { error: { code: 'TENANT_EXISTS' } },
    ])
    expect((await json(['tenants', 'create', 'No Tenant']))[0]).toBe(2)
    const [, made] = await json([
      'keys',
      'create',
      '--tenant',
      'north',
      '--agent',
      'a1',
      '--grant',
      'tenant:read',
    ])
    const { token, prefix } = made as { token: string; prefix: string }
    expect(token.startsWith(prefix)).toBe(true)
    const { stdout } = await heddle(['keys', 'list', '--tenant', 'north'])
    expect(stdout).toContain(prefix)
    expect(stdout).not.toContain(token)
    const asKey = (words: readonly string[]) =>
      runInProcess(words, { HEDDLE_DATA_DIR: dataDir, HEDDLE_API_KEY: token })
    expect((await asKey(['kv', 'set', 'k', 'v'])).code).toBe(0)
    expect((await json(['keys', 'revoke', prefix, '--tenant', 'north']))[0]).toBe(0)
    expect((await asKey(['kv', 'get', 'k'])).code).toBe(3)
    expect((await json(['tenants', 'remove', 'north']))[0]).toBe(2)
    expect((await json(['tenants', 'remove', 'north', '--yes']))[0]).toBe(0)
    expect((await json(['keys', 'list', '--tenant', 'north']))[0]).toBe(4)
  })

  it('says what is configured and what answers, and never a secret', async () => {
    const env = {
      HEDDLE_DATA_DIR: dataDir,
      NEO4J_URI: 'bolt://127.0.0.1:9',
      NEO4J_PASSWORD: 'hush',
    }
    const { code, stdout } = await runInProcess(['doctor', '--json'], env)
    expect(code).toBe(0)
    expect(stdout).not.toContain('hush')
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      versions: { node: process.versions.node, postgres: expect.anything() as unknown },
      configured: { 'database.dataDir': dataDir, 'neo4j.password': '***' },
      findings: expect.arrayContaining([
        { level: 'ok', what: 'postgres answers' },
        expect.objectContaining({ level: 'warning' }) as unknown,
      ]) as unknown,
    })
    const down = await runInProcess(['doctor', '--json'], {
      DATABASE_URL: 'postgres://app:hush@127.0.0.1:9/heddle',
      HEDDLE_CONNECT_TIMEOUT_MS: '500',
    })
    expect(down.code).toBe(6)
    expect(down.stdout + down.stderr).not.toContain('hush')
  })

  it('tells what went wrong: on standard error for people, as one object for programs', async () => {
    const human = await heddle(['kv', 'get', 'missing'])
    expect([human.code, human.stdout]).toEqual([4, ''])
    expect(human.stderr).toMatch(/^NOT_FOUND /)
    expect(await json(['kv', 'get', 'missing'])).toMatchObject([
      4,
      { ok: false, error: { code: 'NOT_FOUND' } },
    ])
    expect(await json(['kv', 'gett', 'k'])).toMatchObject([
      2,
      { ok: false, error: { code: 'INPUT_INVALID' } },
    ])
    const mistyped = await heddle(['kv', 'gett', 'k'])
    expect([mistyped.code, mistyped.stderr]).toEqual([
      2,
      expect.stringContaining('Did you mean get?') as unknown,
    ])
    expect((await heddle(['kv', 'get', 'k', '--scop', 'user'])).stderr).toContain('--scope')
    expect((await heddle(['call', 'kv.sett'])).stderr).toContain('kv.set')
    expect((await heddle(['help', 'kv', 'sett'])).stderr).toContain('did you mean set')
    expect((await heddle(['kv'])).code).toBe(2)
    expect((await heddle(['kv', 'set', 'k', 'v', '--scope', 'user'])).code).toBe(3)
    const bad = await runInProcess(['kv', 'list'], { HEDDLE_PORT: 'x' })
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('HEDDLE_PORT') as unknown])
  })

  it('makes no tenant out of a mistyped name', async () => {
    for (const words of [
      ['kv', 'get', 'k', '--tenant', 'defualt'],
      ['kv', 'set', 'k', 'v', '--tenant', 'defualt'],
    ]) {
      expect(await json(words)).toMatchObject([4, { error: { code: 'TENANT_UNKNOWN' } }])
    }
    const [, listed] = await json(['tenants', 'list'])
    const { tenants } = listed as { tenants: { name: string }[] }
    expect(tenants.map(({ name }) => name).sort()).toEqual(['default', 'system'])
  })

  it('reads a value as JSON or text, and refuses what was meant as JSON and is none', async () => {
    const stored = async (...words: string[]) => {
      expect((await json(['kv', 'set', 'typed', ...words]))[0]).toBe(0)
      const [, said] = await json(['kv', 'get', 'typed'])
      return (said as { result: { value: unknown } }).result.value
    }
    expect(await stored('3')).toBe(3)
    expect(await stored('3', '--text')).toBe('3')
    expect(await stored('plain words')).toBe('plain words')
    expect(await stored('{"a":1', '--text')).toBe('{"a":1')
    for (const broken of ['{"a":1', '[1,', '"half']) {
      const refused = await heddle(['kv', 'set', 'typed', broken])
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('--text') as unknown,
      ])
    }
    const help = await heddle(['help', 'kv', 'set'])
    expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain('JSON when it is JSON')
  })

  it('prints a value or a document alone with --raw', async () => {
    await json(['kv', 'set', 'raw', `${WORDS}\u001b[1m`])
    expect((await heddle(['kv', 'get', 'raw', '--raw'])).stdout).toBe(`${WORDS}\u001b[1m\n`)
    await json(['kv', 'set', 'raw', '{"b":1,"a":[2]}'])
    expect((await heddle(['kv', 'get', 'raw', '--raw'])).stdout).toBe('{"b":1,"a":[2]}\n')
    await json(['import', '-', '--path', 'raw.md'], '# Raw\n')
    expect((await heddle(['doc', 'get', 'raw.md', '--raw'])).stdout).toBe('# Raw\n\n')
    expect((await heddle(['kv', 'get', 'missing', '--raw'])).code).toBe(4)
    expect((await json(['kv', 'get', 'raw', '--raw']))[0]).toBe(2)
  })

  it('does not wrap hits that go to another program', async () => {
    const sentence = `Quokka ${'and a long way home '.repeat(20)}ends here.`
    await json(['observe', sentence])
    expect((await heddle(['recall', 'quokka'])).stdout).toContain(sentence)
  })

  it('reads what to observe from standard input for -', async () => {
    expect(await json(['observe', '-'], 'The ferry is a wombat.')).toMatchObject([
      0,
      { result: { added: 1 } },
    ])
    expect((await heddle(['recall', 'wombat'])).stdout).toContain('The ferry is a wombat.')
  })

  it('says that an import found nothing', async () => {
    const empty = await mkdtemp(join(work, 'empty-'))
    await writeFile(join(empty, 'x.txt'), 'x')
    for (const words of [
      ['import', empty],
      ['import', work, '--include', 'no-such-*'],
    ]) {
      expect(await json(words)).toMatchObject([
        2,
        { ok: false, error: { code: 'INPUT_INVALID', issues: [{ code: 'no_files' }] } },
      ])
    }
  })

  it('hints at the words that were meant', async () => {
    expect((await heddle(['doc', 'import', 'x.md'])).stderr).toContain('heddle import FILE')
    expect((await heddle(['call', 'kv.get', '{"key":"k"}'])).stderr).toContain('--args')
  })

  it('explains a data folder or a port that cannot be used', async () => {
    const file = join(work, 'no-folder')
    await writeFile(file, '')
    const folder = await runInProcess(['kv', 'list'], { HEDDLE_DATA_DIR: file })
    expect(folder.code).toBe(1)
    expect(folder.stderr).toMatch(/^DATA_FOLDER_UNUSABLE .*HEDDLE_DATA_DIR/)
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    const { code, stdout } = await runProgram(['serve', '--port', port, '--json'], {
      HEDDLE_DATA_DIR: dataDir,
    })
    taken.close()
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'LISTEN_FAILED' } }])
  })

  it('logs an unexpected failure under the id that it prints, and not its words', async () => {
    const fail = () => Promise.reject(new Error('hidden words'))
    const { code, stdout, stderr } = await runInProcess(['kv', 'list', '--json'], {}, '', {
      openHeddle: fail,
    })
    const { error } = JSON.parse(stdout) as { error: WireError }
    expect([code, error.code]).toEqual([1, 'INTERNAL'])
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'error',
      error_id: error.details['error_id'],
      stack: expect.stringContaining('commands.test.ts:') as unknown,
    })
    expect(stdout + stderr).not.toContain('hidden')
  })

  it('shows help without a database', async () => {
    const { code, stdout } = await runProgram(['help', 'kv.set'], {
      HEDDLE_DATA_DIR: '/nonexistent/x',
    })
    expect([code, stdout]).toEqual([0, expect.stringContaining('--ttl-seconds') as unknown])
    const schema = await runProgram(['help', 'kv', 'set', '--json'], {})
    expect(JSON.parse(schema.stdout)).toMatchObject({
      op: 'kv.set',
      args_schema: { required: ['key', 'value'] },
    })
  })
})
