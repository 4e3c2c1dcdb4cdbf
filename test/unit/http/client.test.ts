import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { HeddleClient } from '../../../src/http/client.ts'

interface Answer {
  readonly status: number
  readonly body: string
}

describe('HeddleClient', () => {
  let server: Server
  let baseUrl: string
  let seen: { url: string | undefined; authorization: string | undefined; body: string }[]
  let answer: Answer

  beforeEach(async () => {
    seen = []
    answer = { status: 200, body: '{"ok":true}' }
    server = createServer((request, response) => {
      void readBody(request).then((body) => {
        seen.push({ url: request.url, authorization: request.headers.authorization, body })
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  it('calls the route of the operation below the path of its base URL', async () => {
    const client = new HeddleClient({ baseUrl: `${baseUrl}/memory/`, token: 'hr_x' })
    await client.call(
      'kv.set',
      { key: 'k', value: 'größe' },
      { scope: 'tenant', idempotencyKey: 'once' },
    )
    expect(seen).toEqual([
      {
        url: '/memory/v1/memory/kv.set',
        authorization: 'Bearer hr_x',
        body: '{"scope":"tenant","args":{"key":"k","value":"größe","idempotency_key":"once"}}',
      },
    ])
  })

  it('encodes what it puts into a path', async () => {
    await new HeddleClient({ baseUrl, token: 't' }).endRun('a/b?c#d')
    expect(seen[0]?.url).toBe('/v1/runs/a%2Fb%3Fc%23d/end')
  })

  it('throws the code, issues and details of the wire', async () => {
    answer = {
      status: 409,
      body: JSON.stringify({
        ok: false,
        error: {
          code: 'REVISION_MISMATCH',
          message: 'No.',
          retry: 'reread',
          issues: [{ path: ['key'], code: 'x', message: 'y' }],
          details: { actual: 3 },
        },
      }),
    }
    const call = new HeddleClient({ baseUrl, token: 't' }).call('kv.get', { key: 'k' })
    await expect(call).rejects.toMatchObject({
      code: 'REVISION_MISMATCH',
      retry: 'reread',
      message: 'No.',
      details: { actual: 3 },
      issues: [{ path: ['key'] }],
    })
  })

  it('keeps a code that it does not know in the details', async () => {
    const error = { code: 'FROM_THE_FUTURE', message: 'm', retry: 'never', issues: [], details: {} }
    answer = { status: 500, body: JSON.stringify({ ok: false, error }) }
    const call = new HeddleClient({ baseUrl, token: 't' }).call('kv.get', { key: 'k' })
    await expect(call).rejects.toMatchObject({
      code: 'INTERNAL',
      details: { code: 'FROM_THE_FUTURE' },
    })
  })

  it('passes on the id of an unexpected failure', async () => {
    const details = { error_id: 'e-1' }
    const error = { code: 'INTERNAL', message: 'm', retry: 'never', issues: [], details }
    answer = { status: 500, body: JSON.stringify({ ok: false, error }) }
    const call = new HeddleClient({ baseUrl, token: 't' }).call('kv.get', { key: 'k' })
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL', id: 'e-1', details })
  })

  it('says when somebody else answers', async () => {
    answer = { status: 502, body: '<html>bad gateway</html>' }
    const call = new HeddleClient({ baseUrl, token: 't' }).call('kv.get', { key: 'k' })
    await expect(call).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      details: { status: 502 },
    })
  })

  it('tells nobody listening from an answer that got lost', async () => {
    const fetchLost: typeof fetch = () => Promise.reject(new TypeError('terminated'))
    const lost = new HeddleClient({ baseUrl, token: 't', fetch: fetchLost })
    await expect(lost.call('kv.get', { key: 'k' })).rejects.toMatchObject({
      code: 'ENGINE_CONNECTION_LOST',
    })
    await new Promise((resolve) => server.close(resolve))
    const refused = new HeddleClient({ baseUrl, token: 't' })
    await expect(refused.call('kv.get', { key: 'k' })).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      retry: 'later',
      message: `No Heddle server answers at ${new URL(baseUrl).host}`,
    })
  })

  it('throws CANCELLED when its signal aborts', async () => {
    const call = new HeddleClient({ baseUrl, token: 't' }).call(
      'kv.get',
      { key: 'k' },
      { signal: AbortSignal.abort() },
    )
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
