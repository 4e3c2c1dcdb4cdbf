import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { MemoryReply } from '../../../src/memory/reply.ts'
import { type App, bearer, openApp } from '../support/open-app.ts'

const MCP_HEADERS = { accept: 'application/json, text/event-stream' }
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe.each(['single', 'per-operation'] as const)('MCP over HTTP, %s', (tools) => {
  let app: App
  let tenant: string

  beforeAll(async () => {
    app = await openApp({ env: { HEDDLE_MCP_TOOLS: tools } })
    tenant = await app.tenant()
  })

  afterAll(() => app[Symbol.asyncDispose]())

  async function connect(token: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
      requestInit: { headers: bearer(token) },
    })
    await client.connect(transport)
    return client
  }

  async function call(
    client: Client,
    op: string,
    args: Record<string, unknown>,
  ): Promise<MemoryReply> {
    const result =
      tools === 'single'
        ? await client.callTool({ name: 'memory', arguments: { op, args } })
        : await client.callTool({ name: op.replaceAll('.', '_'), arguments: args })
    const reply = result.structuredContent as MemoryReply
    expect(result.isError).toBe(!reply.ok)
    return reply
  }

  it('works under the token of a run and ends with it', async () => {
    const platform = app.client(await app.key(tenant, { role: 'service' }))
    const run = await platform.startRun({ agent: 'a1', user: 'u1' })
    const client = await connect(run.token)
    expect(client.getInstructions()).toMatch(/memory/)
    expect(await call(client, 'kv.set', { key: 'ключ/กุญแจ', value: '👩‍🚀' })).toMatchObject({
      scopes: ['user'],
    })
    expect(await call(client, 'kv.get', { key: 'ключ/กุญแจ' })).toMatchObject({
      result: { value: '👩‍🚀' },
    })
    expect(await call(client, 'kv.get', { key: 'missing' })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    })
    await platform.endRun(run.run_id)
    await expect(client.callTool({ name: 'memory', arguments: {} })).rejects.toThrow(
      /401|CREDENTIAL_INVALID/,
    )
    await client.close()
  })

  it('keeps two users apart who call at the same time', async () => {
    const clients = await Promise.all(
      ['u1', 'u2'].map(async (user) => ({
        user,
        client: await connect(await app.key(tenant, { user })),
      })),
    )
    await Promise.all(
      clients.flatMap(({ user, client }) =>
        Array.from({ length: 10 }, (_, index) =>
          call(client, 'kv.set', { key: `k${index}`, value: user }),
        ),
      ),
    )
    for (const { user, client } of clients) {
      const { result } = (await call(client, 'kv.list', { prefix: 'k' })) as {
        result: { entries: { value: unknown }[] }
      }
      expect(result.entries.map(({ value }) => value)).toEqual(Array<string>(10).fill(user))
      await client.close()
    }
  })

  it('takes no call without a token and none from a foreign web page', async () => {
    const token = await app.key(tenant)
    const without = await app.post('/mcp', LIST, MCP_HEADERS)
    expect(without.status).toBe(401)
    const foreign = await app.post('/mcp', LIST, {
      ...MCP_HEADERS,
      ...bearer(token),
      origin: 'https://evil.example',
    })
    expect([foreign.status, await foreign.json()]).toMatchObject([
      403,
      { error: { code: 'ORIGIN_FORBIDDEN' } },
    ])
    const local = await app.post('/mcp', LIST, {
      ...MCP_HEADERS,
      ...bearer(token),
      origin: 'http://localhost:3000',
    })
    expect(local.status).toBe(200)
    expect(local.headers.get('x-request-id')).toBeTruthy()
  })

  it('counts its calls by operation', async () => {
    const client = await connect(await app.key(tenant, { user: 'u3' }))
    await call(client, 'kv.list', {})
    await client.close()
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(/heddle_operation_calls_total\{op="kv\.list",code="ok"\} [1-9]/)
  })
})
