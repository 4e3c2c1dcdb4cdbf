import { PassThrough } from 'node:stream'

import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { beforeEach, describe, expect, it } from 'vitest'

import { StdioTransport } from '../../../src/mcp/stdio-transport.ts'

const LIMIT = 1000
const PAD = 'x'.repeat(LIMIT)

describe('the stdio transport', () => {
  let stdin: PassThrough
  let stdout: PassThrough
  let received: JSONRPCMessage[]

  beforeEach(async () => {
    stdin = new PassThrough()
    stdout = new PassThrough()
    received = []
    const transport = new StdioTransport(stdin, stdout, { maxMessageBytes: LIMIT })
    transport.onmessage = (message) => received.push(message)
    await transport.start()
  })

  /** Sends a line and gives what was answered to it. */
  async function send(line: string): Promise<unknown[]> {
    stdin.write(`${line}\n`)
    await new Promise((resolve) => setImmediate(resolve))
    const said = (stdout.read() as Buffer | null)?.toString() ?? ''
    return said
      .split('\n')
      .filter(Boolean)
      .map((one) => JSON.parse(one) as unknown)
  }

  it.each([
    ['at the start', `{"jsonrpc":"2.0","id":7,"method":"m","params":{"p":"${PAD}"}}`, 7],
    ['at the end', `{"method":"m","params":{"p":"${PAD}"},"jsonrpc":"2.0","id":"a-1"}`, 'a-1'],
    ['nowhere that is known', `{"method":"m","id":7,"params":{"id":8,"p":"${PAD}"}}`, null],
    ['in no JSON', PAD + PAD, null],
  ])('refuses a line that is too long, with its id when it stands %s', async (_, line, id) => {
    expect(await send(line)).toEqual([
      {
        jsonrpc: '2.0',
        id,
        error: {
          code: -32600,
          message: 'BODY_TOO_LARGE: The message is longer than 1000 bytes',
          data: expect.objectContaining({
            code: 'BODY_TOO_LARGE',
            details: { limit_bytes: LIMIT },
          }) as unknown,
        },
      },
    ])
    expect(await send('{"jsonrpc":"2.0","id":9,"method":"ping"}\r')).toEqual([])
    expect(received).toEqual([{ jsonrpc: '2.0', id: 9, method: 'ping' }])
  })

  it('answers what is not JSON or no message, and reads on', async () => {
    expect(await send('{"jsonrpc":')).toMatchObject([{ id: null, error: { code: -32700 } }])
    expect(await send('{"id":3,"method":5}')).toMatchObject([{ id: 3, error: { code: -32600 } }])
    expect(await send('[]')).toMatchObject([{ id: null, error: { code: -32600 } }])
    await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect(received).toHaveLength(1)
  })
})
