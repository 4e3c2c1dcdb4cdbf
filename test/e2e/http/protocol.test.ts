import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { WireError } from '../../../src/core/errors.ts'
import type { LogFields, Logger } from '../../../src/core/logger.ts'
import { HeddleClient } from '../../../src/http/client.ts'
import { openHttpServer } from '../../../src/http/server.ts'
import type { Heddle } from '../../../src/memory/heddle.ts'
import { type App, bearer, openApp } from '../support/open-app.ts'
import { collect } from '../support/program.ts'

const BODY_LIMIT = 256 * 1024

describe('the HTTP server', () => {
  const logged: string[] = []
  const log = (event: string, fields?: LogFields) =>
    logged.push(JSON.stringify({ event, ...fields }))
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  let app: App
  let token: string

  beforeAll(async () => {
    app = await openApp({ logger, env: { HEDDLE_BODY_LIMIT_BYTES: String(BODY_LIMIT) } })
    token = await app.key(await app.tenant(), { user: 'u1', grants: ['tenant:read'] })
  })

  afterAll(() => app[Symbol.asyncDispose]())

  async function ask(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await app.post(path, body, { ...bearer(token), ...headers })
    return {
      status: response.status,
      headers: response.headers,
      body: await response.json(),
    }
  }

  const failure = (code: string) => ({
    ok: false,
    error: { code, message: expect.any(String) as unknown, retry: expect.any(String) as unknown },
  })

  it('asks for a credential before it reads anything', async () => {
    const response = await app.post('/v1/memory', 'not json')
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject(failure('CREDENTIAL_MISSING'))
    for (const wrong of [
      'Basic eDp5',
      'Bearer',
      'Bearer hk_0_0',
      `Bearer hk_00000000_${'x'.repeat(43)}`,
    ]) {
      const refused = await app.post('/v1/memory', {}, { authorization: wrong })
      expect(refused.status).toBe(401)
    }
  })

  it.each([
    ['text that is not JSON', '{"op":', 'INPUT_INVALID'],
    ['an empty body', '', 'INPUT_INVALID'],
    ['null', 'null', 'INPUT_INVALID'],
    ['a list', '[]', 'INPUT_INVALID'],
    ['a number', '1', 'INPUT_INVALID'],
    ['no operation', '{}', 'INPUT_INVALID'],
    ['an unknown operation', '{"op":"kv.sett","args":{}}', 'OPERATION_UNKNOWN'],
    [
      'deep nesting',
      `{"op":"kv.set","args":{"key":"k","value":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
      'INPUT_INVALID',
    ],
    [
      'an inexact integer',
      '{"op":"kv.set","args":{"key":"k","value":9007199254740993}}',
      'INPUT_INVALID',
    ],
    ['an endless number', '{"op":"kv.set","args":{"key":"k","value":1e999}}', 'INPUT_INVALID'],
    ['a misspelt argument', '{"op":"kv.get","args":{"kee":"k"}}', 'INPUT_INVALID'],
    ['NUL in text', '{"op":"kv.set","args":{"key":"k","value":"pump\\u0000ok"}}', 'INPUT_INVALID'],
    [
      'half a surrogate pair',
      '{"op":"kv.set","args":{"key":"k","value":"\\ud800"}}',
      'INPUT_INVALID',
    ],
  ])('refuses %s with a code', async (_what, body, code) => {
    const answer = await ask('/v1/memory', body)
    expect(answer.body).toMatchObject(failure(code))
    expect(answer.status).toBe(code === 'OPERATION_UNKNOWN' ? 404 : 400)
  })

  it.each([-1, 0, 1e9, 'abc', 1.5, null, {}])(
    'refuses limit %j on every paged list (case 158)',
    async (limit) => {
      for (const op of ['kv.list', 'list']) {
        const { status, body } = await ask(`/v1/memory/${op}`, { args: { limit } })
        expect([status, body]).toMatchObject([400, { error: { code: 'INPUT_INVALID' } }])
      }
    },
  )

  it('refuses bytes that are not UTF-8, other content types and bodies that are too large', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"op":"kv.get","args":{"key":"'),
      Buffer.of(0xff),
      Buffer.from('"}}'),
    ])
    const response = await fetch(`${app.url}/v1/memory`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: bytes,
    })
    expect([response.status, await response.json()]).toMatchObject([400, failure('INPUT_INVALID')])
    const form = await ask('/v1/memory', 'op=kv.get', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([form.status, form.body]).toMatchObject([400, failure('INPUT_INVALID')])
    const large = await ask(
      '/v1/memory',
      JSON.stringify({ op: 'kv.get', args: { key: 'x'.repeat(BODY_LIMIT) } }),
    )
    expect([large.status, large.body]).toMatchObject([413, failure('BODY_TOO_LARGE')])
  })

  it('refuses a body with a content encoding and says what is wrong with it', async () => {
    const body = gzipSync('{"op":"kv.list"}')
    const send = (encoding: string, bytes: Buffer) =>
      fetch(`${app.url}/v1/memory`, {
        method: 'POST',
        headers: {
          ...bearer(token),
          'content-type': 'application/json',
          'content-encoding': encoding,
        },
        body: bytes,
      })
    for (const encoding of ['gzip', 'br', 'GZIP, identity']) {
      const response = await send(encoding, body)
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity'])
      expect(await response.json()).toMatchObject({
        error: {
          code: 'CONTENT_ENCODING_UNSUPPORTED',
          retry: 'never',
          message: expect.stringContaining('content-encoding') as unknown,
        },
      })
    }
    expect((await send('identity', Buffer.from('{"op":"kv.list"}'))).status).toBe(200)
  })

  it('names the nearest operation for a route of the memory tool that is not there', async () => {
    const client = app.client(token)
    await expect(client.call('kv.sett' as 'kv.set', { key: 'k', value: 1 })).rejects.toMatchObject({
      code: 'OPERATION_UNKNOWN',
      message: expect.stringContaining('did you mean "kv.set"') as unknown,
    })
    expect((await ask('/v1/memory/%3Cx%3E', {})).body).toMatchObject(failure('OPERATION_UNKNOWN'))
  })

  it('logs an unexpected failure under the id that the caller gets, and not its words', async () => {
    const failing: Heddle = {
      ...app.heddle,
      authenticate: () => Promise.reject(new Error('hidden words')),
    }
    await using server = await openHttpServer(failing)
    logged.length = 0
    const response = await fetch(`${server.url}/v1/memory`, {
      method: 'POST',
      headers: bearer(token),
    })
    const { error } = (await response.json()) as { error: WireError }
    expect([response.status, error.code]).toEqual([500, 'INTERNAL'])
    const line = logged.find((one) => one.includes(String(error.details['error_id'])))
    expect(line).toMatch(/http\.failed.*protocol\.test\.ts:\d+/)
    expect(logged.join('')).not.toContain('hidden')
    await expect(
      new HeddleClient({ baseUrl: server.url, token }).call('list', {}),
    ).rejects.toMatchObject({
      code: 'INTERNAL',
      details: { error_id: expect.any(String) as unknown },
    })
  })

  it('says that its port is in use', async () => {
    const { http, ...rest } = app.heddle.config
    const config = { ...rest, http: { ...http, port: app.server.port } }
    await expect(openHttpServer({ ...app.heddle, config })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining('HEDDLE_PORT') as unknown,
      details: { port: app.server.port, reason: 'EADDRINUSE' },
    })
  })

  it('answers unknown routes, other methods, bad URLs and what is not HTTP in the same shape', async () => {
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(app.url + path, { method })
      return [response.status, await response.json(), response.headers.get('allow')]
    }
    expect(await get('/v1/nothing')).toMatchObject([404, failure('ROUTE_UNKNOWN'), null])
    expect(await get('/v1/memory')).toMatchObject([405, failure('METHOD_NOT_ALLOWED'), 'POST'])
    expect(await get('/health/live', 'DELETE')).toMatchObject([
      405,
      failure('METHOD_NOT_ALLOWED'),
      'GET, HEAD',
    ])
    expect(await get('/mcp')).toMatchObject([405, failure('METHOD_NOT_ALLOWED'), 'POST'])
    expect(await get('/v1/%zz')).toMatchObject([400, failure('INPUT_INVALID'), null])
    const socket = connect(app.server.port, '127.0.0.1')
    const said = collect(socket)
    socket.end('this is not http\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))
    const [head = '', body = ''] = said().split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(body)).toMatchObject(failure('INPUT_INVALID'))
  })

  it('gives every answer a request id, the one that was sent when it is sane', async () => {
    const kept = await ask('/v1/memory', {}, { 'x-request-id': 'trace-1' })
    expect(kept.headers.get('x-request-id')).toBe('trace-1')
    const made = await ask('/v1/memory', {}, { 'x-request-id': 'a b' })
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const missing = await fetch(`${app.url}/v1/nothing`)
    expect(missing.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('keeps any field name of a value, as data', async () => {
    const value = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":1},"b":1,"a":2}'
    await ask('/v1/memory/kv.set', `{"args":{"key":"names","value":${value}}}`)
    const response = await app.post('/v1/memory/kv.get', { args: { key: 'names' } }, bearer(token))
    expect(await response.text()).toContain(`"value":${value}`)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    const asArgument = await ask('/v1/memory', '{"op":"kv.get","args":{"key":"k","__proto__":{}}}')
    expect(asArgument.body).toMatchObject(failure('INPUT_INVALID'))
  })

  it('takes the idempotency key from the header, and one key from one place', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = { args: { key: 'counter' } }
    const first = await ask('/v1/memory/kv.incr', body, headers)
    const again = await ask('/v1/memory/kv.incr', body, headers)
    expect([first.body, again.body]).toMatchObject([
      { result: { value: 1 } },
      { result: { value: 1 } },
    ])
    const asArgument = await ask('/v1/memory/kv.incr', {
      args: { key: 'counter', idempotency_key: 'once' },
    })
    expect(asArgument.body).toMatchObject({
      result: { value: 1 },
      notes: [{ code: 'idempotent_replay' }],
    })
    const other = await ask('/v1/memory/kv.incr', { args: { key: 'counter', by: 2 } }, headers)
    expect([other.status, other.body]).toMatchObject([409, failure('IDEMPOTENCY_CONFLICT')])
    const two = await ask(
      '/v1/memory/kv.incr',
      { args: { key: 'counter', idempotency_key: 'two' } },
      headers,
    )
    expect([two.status, two.body]).toMatchObject([400, failure('INPUT_INVALID')])
  })

  it('does not let the body of an operation route name another operation', async () => {
    const { status, body } = await ask('/v1/memory/kv.get', {
      op: 'kv.set',
      args: { key: 'k', value: 1 },
    })
    expect([status, body]).toMatchObject([400, failure('INPUT_INVALID')])
  })

  it('keeps words, keys and tokens out of log and metrics', async () => {
    logged.length = 0
    await ask('/v1/memory?q=hidden-query', {
      op: 'kv.set',
      args: { key: 'hidden-key', value: 'hidden-value' },
    })
    await ask('/v1/memory', { op: 'hidden-operation', args: { key: 'hidden-key' } })
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(logged.length).toBeGreaterThan(0)
    for (const text of [...logged, metrics]) {
      expect(text).not.toMatch(/hidden/)
      expect(text).not.toContain(token)
    }
    expect(metrics).toMatch(/heddle_operation_calls_total\{op="kv\.set",code="ok"\} \d+/)
    expect(metrics).toMatch(
      /heddle_http_requests_total\{route="\/v1\/memory",method="POST",status="404"\} \d+/,
    )
    expect(metrics).toMatch(/heddle_http_requests_in_flight 1/)
  })

  it('lists every entry once while entries are added before, between and after (case 162)', async () => {
    const client = app.client(token)
    for (let index = 0; index < 30; index += 1) {
      await client.call('kv.set', { key: `page/${String(index).padStart(2, '0')}`, value: index })
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { result } = await client.call('kv.list', {
        prefix: 'page/',
        limit: 7,
        ...(cursor !== undefined && { cursor }),
      })
      expect(result.entries.length).toBeLessThanOrEqual(7)
      seen.push(...result.entries.map(({ key }) => key))
      await client.call('kv.set', {
        key: `page/${String(seen.length).padStart(2, '0')}-added`,
        value: 1,
      })
      cursor = result.next_cursor
    } while (cursor !== undefined)
    expect(new Set(seen).size).toBe(seen.length)
    const original = seen.filter((key) => !key.endsWith('-added'))
    expect(original).toHaveLength(30)
  })
})
