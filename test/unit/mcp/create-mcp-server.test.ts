import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'

import { HeddleError, toWireError, type WireError } from '../../../src/core/errors.ts'
import type { TenantId } from '../../../src/core/ids.ts'
import { type LogFields, type Logger, SILENT_LOGGER } from '../../../src/core/logger.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { createMcpServer, type GetIdentity } from '../../../src/mcp/create-mcp-server.ts'
import type { Heddle } from '../../../src/memory/heddle.ts'

const IDENTITY: Identity = {
  tenantId: '00000000-0000-4000-8000-00000000000a' as TenantId,
  tenant: 'north',
  agent: 'a1',
  role: 'agent',
  grants: [],
  isolated: false,
}

async function connect(
  call: Heddle['call'],
  getIdentity: GetIdentity = () => IDENTITY,
  stop?: AbortSignal,
  logger?: Logger,
) {
  const server = createMcpServer({ call }, getIdentity, {
    tools: 'single',
    ...(stop && { signal: stop }),
    ...(logger && { logger }),
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(far), client.connect(near)])
  return { client, server }
}

/** A call that takes until it is given up; says when it began. */
function makeEndlessCall() {
  let begin: () => void = () => undefined
  const begun = new Promise<void>((resolve) => (begin = resolve))
  let given: AbortSignal | undefined
  const call: Heddle['call'] = (_identity, _request, { signal }) => {
    given = signal
    begin()
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve({ ok: false, error: toWireError(new HeddleError('CANCELLED')) })
      })
    })
  }
  return { call, begun, signal: () => given }
}

describe('the MCP server', () => {
  it('gives up the call that its client cancels', async () => {
    const { call, begun, signal } = makeEndlessCall()
    const { client } = await connect(call)
    const aborter = new AbortController()
    const asked = client.callTool({ name: 'memory', arguments: { op: 'list' } }, undefined, {
      signal: aborter.signal,
    })
    await begun
    aborter.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => signal()?.aborted).toBe(true)
  })

  it('gives up its calls when its own signal aborts', async () => {
    const { call, begun } = makeEndlessCall()
    const stop = new AbortController()
    const { client } = await connect(call, undefined, stop.signal)
    const asked = client.callTool({ name: 'memory', arguments: { op: 'list' } })
    await begun
    stop.abort()
    expect(await asked).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'CANCELLED' } },
    })
  })

  it('reports an identity that cannot be had as a failed result', async () => {
    const { client } = await connect(
      () => Promise.reject(new Error('must not be reached')),
      () => Promise.reject(new HeddleError('ENGINE_UNAVAILABLE')),
    )
    expect(await client.callTool({ name: 'memory', arguments: { op: 'list' } })).toMatchObject({
      isError: true,
      structuredContent: { ok: false, error: { code: 'ENGINE_UNAVAILABLE', retry: 'later' } },
    })
  })

  it('logs an unexpected failure under the id that the caller gets', async () => {
    const lines: LogFields[] = []
    const logger: Logger = { ...SILENT_LOGGER, error: (_event, fields = {}) => lines.push(fields) }
    const { client } = await connect(
      () => Promise.reject(new Error('must not be reached')),
      () => Promise.reject(new Error('secret')),
      undefined,
      logger,
    )
    const result = await client.callTool({ name: 'memory', arguments: { op: 'list' } })
    const { error } = result.structuredContent as { error: WireError }
    expect(error.code).toBe('INTERNAL')
    expect(lines).toMatchObject([
      {
        error_id: error.details['error_id'],
        stack: expect.stringContaining('.test.ts:') as unknown,
      },
    ])
    expect(JSON.stringify([result, lines])).not.toContain('secret')
  })

  it.each([['text'], [[1]], [5], [null]])(
    'refuses %j as arguments of a tool as invalid parameters',
    async (wrong) => {
      const { client } = await connect(() => Promise.reject(new Error('must not be reached')))
      const params = { name: 'memory', arguments: wrong }
      await expect(
        client.request({ method: 'tools/call', params }, CallToolResultSchema),
      ).rejects.toMatchObject({ code: -32602 })
    },
  )

  it('answers a tool name of megabytes at once and does not repeat it', async () => {
    const { client } = await connect(() => Promise.reject(new Error('must not be reached')))
    const name = 'x'.repeat(8 * 1024 * 1024)
    const refusal: unknown = await client
      .callTool({ name, arguments: {} })
      .catch((error: unknown) => error)
    expect(String(refusal)).toContain(`Unknown tool "${'x'.repeat(64)}…"`)
  })

  it('hands the request on as it came, unknown fields and all, for the tool itself to judge', async () => {
    const seen: unknown[] = []
    const { client } = await connect((_identity, request) => {
      seen.push(request)
      return Promise.resolve({ ok: true, op: 'list', scopes: [], result: {}, notes: [] })
    })
    await client.callTool({
      name: 'memory',
      arguments: { op: 'list', args: '{"limit":1}', tenant: 'south' },
    })
    await client.callTool({ name: 'memory' })
    expect(seen).toEqual([{ op: 'list', args: '{"limit":1}', tenant: 'south' }, {}])
  })
})
