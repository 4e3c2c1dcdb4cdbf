import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { MemoryReply } from '../../../src/memory/reply.ts'
import { makeDataFolder } from '../../support/engines.ts'
import {
  childEnv,
  collect,
  firstLine,
  PROGRAM,
  runProgram,
  startProgram,
} from '../support/program.ts'

const WORDS = 'Привет, мир — ข้อความภาษาไทย — 👩‍🚀🇺🇦 größe 東京'

describe('heddle mcp over stdio', () => {
  let dataDir: string

  beforeAll(async () => {
    dataDir = await makeDataFolder()
  })

  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  const env = (more: Readonly<Record<string, string>> = {}) => ({
    HEDDLE_DATA_DIR: dataDir,
    LC_ALL: 'C',
    LANG: 'C',
    ...more,
  })

  async function withClient<T>(
    args: readonly string[],
    use: (client: Client, transport: StdioClientTransport) => Promise<T>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      env: childEnv(env(more)),
      stderr: 'ignore',
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    try {
      return await use(client, transport)
    } finally {
      await client.close()
    }
  }

  it('keeps every script intact under LC_ALL=C, by key, value, document and recall', async () => {
    await withClient([], async (client) => {
      const call = (op: string, args: object, scope?: string) =>
        callMemory(client, 'memory', { op, args, ...(scope !== undefined && { scope }) })
      expect(await call('kv.set', { key: WORDS, value: { [WORDS]: WORDS } })).toMatchObject({
        ok: true,
      })
      expect(await call('kv.get', { key: WORDS })).toMatchObject({
        ok: true,
        result: { key: WORDS, value: { [WORDS]: WORDS } },
      })
      const content = `# ${WORDS}\n\nMarker ZK-4417 belongs to the blue crate. ${WORDS}\n`
      await call('doc.import', { path: 'größe/東京 1.md', content })
      expect(await call('doc.get', { path: 'größe/東京 1.md' })).toMatchObject({
        result: { content },
      })
      const found = await call('recall', { query: 'ZK-4417' })
      expect(JSON.stringify(found)).toContain(WORDS)
      expect(await call('kv.set', { key: 'r', value: 1 }, 'run')).toMatchObject({
        ok: true,
        scopes: ['run'],
      })
    })
  })

  it('gives a failed call as a failed result that says how to do it right', async () => {
    await withClient([], async (client) => {
      const result = await client.callTool({
        name: 'memory',
        arguments: { op: 'kv.set', args: { key: 'k', valeu: 1 } },
      })
      expect(result.isError).toBe(true)
      expect(result.structuredContent).toMatchObject({
        ok: false,
        op: 'kv.set',
        error: {
          code: 'INPUT_INVALID',
          retry: 'never',
          issues: expect.arrayContaining([
            {
              path: ['valeu'],
              code: 'unknown_field',
              message: 'Unknown field "valeu"; did you mean "value"?',
            },
          ]) as unknown,
        },
        args_schema: { type: 'object', required: ['key', 'value'] },
      })
      expect(JSON.parse(textOf(result))).toEqual(result.structuredContent)
    })
  })

  it('names an unknown argument of the tool, and refuses an unknown tool by protocol', async () => {
    await withClient([], async (client) => {
      const reply = await callMemory(client, 'memory', { op: 'kv.get', argz: { key: 'k' } })
      expect(reply).toMatchObject({
        ok: false,
        error: {
          code: 'INPUT_INVALID',
          issues: [{ path: ['argz'], message: 'Unknown field "argz"; did you mean "args"?' }],
        },
      })
      await expect(client.callTool({ name: 'memroy', arguments: {} })).rejects.toThrow(
        /Unknown tool "memroy"; did you mean "memory"\?/,
      )
    })
  })

  it('serves one tool per operation when asked to', async () => {
    await withClient(['--tools', 'per-operation'], async (client) => {
      const { tools } = await client.listTools()
      const names = tools.map(({ name }) => name)
      expect(names).toContain('kv_set')
      expect(names).not.toContain('memory')
      const byName = new Map(tools.map((tool) => [tool.name, tool]))
      expect(byName.get('kv_get')?.annotations).toMatchObject({
        readOnlyHint: true,
        openWorldHint: false,
      })
      expect(byName.get('kv_delete')?.annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
      })
      expect(
        await callMemory(client, 'kv_set', { key: 'p', value: WORDS, scope: 'tenant' }),
      ).toMatchObject({
        ok: true,
        scopes: ['tenant'],
      })
      expect(await callMemory(client, 'kv_get', { key: 'p' })).toMatchObject({
        result: { value: WORDS },
      })
      expect(await callMemory(client, 'kv_get', { kee: 'p' })).toMatchObject({
        ok: false,
        error: { code: 'INPUT_INVALID' },
      })
      await expect(client.callTool({ name: 'memory', arguments: {} })).rejects.toThrow(
        /Unknown tool/,
      )
    })
  })

  it('serves a second client on the same folder beside the first', async () => {
    await withClient([], async (first) => {
      await withClient([], async (second) => {
        await callMemory(first, 'memory', { op: 'kv.set', args: { key: 'shared', value: 1 } })
        expect(
          await callMemory(second, 'memory', { op: 'kv.get', args: { key: 'shared' } }),
        ).toMatchObject({
          result: { value: 1 },
        })
      })
    })
  })

  it('says nothing but protocol on standard output, however chatty a dependency is', async () => {
    // Stands for a library that greets when it opens a connection, and goes on talking.
    const preload = join(tmpdir(), `heddle-chatty-${process.pid}.mjs`)
    await writeFile(
      preload,
      `import net from 'node:net'
       const say = () => { console.log('banner'); console.info('banner'); process.stdout.write('banner\\n') }
       for (const [type, name] of [[net.Server, 'listen'], [net.Socket, 'connect']]) {
         const original = type.prototype[name]
         type.prototype[name] = function (...args) {
           say()
           setInterval(say, 20).unref()
           return original.apply(this, args)
         }
       }`,
    )
    const child = startProgram(
      ['mcp'],
      env({ NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` }),
    )
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    const line = firstLine(child.stdout)
    child.stdin.write(request(1, 'initialize', INITIALIZE))
    await line
    child.stdin.end(request(2, 'tools/call', call('kv.set', { key: 'chatty', value: WORDS })))
    await once(child, 'close')
    await rm(preload)
    expect(stderr()).toContain('banner')
    const lines = stdout().trimEnd().split('\n')
    expect(lines.map((one) => (JSON.parse(one) as { id: number }).id)).toEqual([1, 2])
  })

  it('answers what was asked before its input ended, and ends well', async () => {
    const writes = Array.from({ length: 20 }, (_, index) =>
      request(index + 2, 'tools/call', call('kv.set', { key: `piped/${index}`, value: index })),
    )
    const input = [request(1, 'initialize', INITIALIZE), ...writes].join('')
    const { code, stdout } = await runProgram(['mcp'], env(), input)
    expect(code).toBe(0)
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((one) => (JSON.parse(one) as { id: number }).id)
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
    const list = await runProgram(['kv', 'list', 'piped/', '--json'], env())
    expect(JSON.parse(list.stdout)).toMatchObject({ result: { total: 20 } })
  })

  it('refuses a line beyond the limit at once, whatever its size, and goes on', async () => {
    const child = startProgram(['mcp'], env())
    const stdout = collect(child.stdout)
    const line = firstLine(child.stdout)
    child.stdin.write(request(1, 'initialize', INITIALIZE))
    await line
    const piece = Buffer.alloc(1024 * 1024, 'x')
    child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"')
    // Beyond what the SDK's buffer would hold, in the pieces in which a pipe gives it.
    for (let sent = 0; sent < 100; sent += 1) {
      if (!child.stdin.write(piece)) await once(child.stdin, 'drain')
    }
    child.stdin.write('"}}\n')
    child.stdin.end(request(3, 'tools/call', call('kv.set', { key: 'after', value: 1 })))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(0)
    const answers = stdout()
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one) as object)
    expect(answers).toMatchObject([
      { id: 1 },
      { id: 2, error: { code: -32600, data: { code: 'BODY_TOO_LARGE' } } },
      { id: 3, result: { isError: false } },
    ])
  })

  it('answers arguments that are no object as invalid parameters', async () => {
    const input = [
      request(1, 'initialize', INITIALIZE),
      request(2, 'tools/call', { name: 'memory', arguments: 'text' }),
      request(3, 'tools/call', { name: 'memory', arguments: [1] }),
    ].join('')
    const { stdout } = await runProgram(['mcp'], env(), input)
    const answers = stdout.trimEnd().split('\n').slice(1)
    expect(answers.map((one) => JSON.parse(one) as object)).toMatchObject([
      { id: 2, error: { code: -32602 } },
      { id: 3, error: { code: -32602 } },
    ])
  })

  it('loses no acknowledged write when it is told to stop', async () => {
    const child = startProgram(['mcp'], env())
    const stdout = collect(child.stdout)
    const line = firstLine(child.stdout)
    child.stdin.write(request(1, 'initialize', INITIALIZE))
    await line
    for (let id = 2; id < 42; id += 1) {
      child.stdin.write(
        request(id, 'tools/call', call('kv.set', { key: `stopped/${id}`, value: id })),
      )
    }
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(0)
    const acknowledged = stdout()
      .trimEnd()
      .split('\n')
      .map(
        (one) =>
          JSON.parse(one) as { id: number; result?: { structuredContent?: { ok: boolean } } },
      )
      .filter(({ result }) => result?.structuredContent?.ok === true)
      .map(({ id }) => `stopped/${id}`)
    expect(acknowledged.length).toBeGreaterThan(0)
    const list = await runProgram(['kv', 'list', 'stopped/', '--limit', '100', '--json'], env())
    const { result } = JSON.parse(list.stdout) as { result: { entries: { key: string }[] } }
    expect(result.entries.map(({ key }) => key)).toEqual(expect.arrayContaining(acknowledged))
  })
})

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

function request(id: number, method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
}

function call(op: string, args: unknown) {
  return { name: 'memory', arguments: { op, args } }
}

async function callMemory(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<MemoryReply> {
  const result = await client.callTool({ name, arguments: args })
  return JSON.parse(textOf(result)) as MemoryReply
}

function textOf(result: Awaited<ReturnType<Client['callTool']>>): string {
  const [content] = result.content as { type: string; text: string }[]
  return content?.text ?? ''
}
