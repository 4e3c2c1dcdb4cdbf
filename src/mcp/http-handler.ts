import type { IncomingMessage, ServerResponse } from 'node:http'

import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

import { ERRORS, HeddleError, toWireError } from '../core/errors.ts'
import type { Identity } from '../identity/identity.ts'
import type { Heddle } from '../memory/heddle.ts'
import type { MemoryFailure } from '../memory/reply.ts'
import { createMcpServer, type ToolMode } from './create-mcp-server.ts'
import { isOriginAllowed } from './origin-check.ts'

export interface McpHttpOptions {
  readonly tools: ToolMode
  /** Origins of web pages that may call; default none beyond those of this machine. */
  readonly allowedOrigins?: readonly string[]
}

/** One POST, authenticated and parsed by the HTTP server. */
interface McpHttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: unknown
  readonly identity: Identity
  readonly signal: AbortSignal
  readonly call: Heddle['call']
}

export interface McpHttpHandler {
  handle(exchange: McpHttpExchange): Promise<void>
}

/**
 * Serves MCP over streamable HTTP without sessions: each request gets a server and a transport of its
 * own under the identity of its own token, so nothing of one caller can reach another.
 */
export function createMcpHttpHandler({
  tools,
  allowedOrigins = [],
}: McpHttpOptions): McpHttpHandler {
  return {
    async handle({ request, response, body, identity, signal, call }) {
      if (!isOriginAllowed(request.headers, { allowedOrigins })) {
        refuse(response)
        return
      }
      const server = createMcpServer({ call }, () => identity, { tools, signal })
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
      response.once('close', () => void server.close())
      await server.connect(transport)
      await transport.handleRequest(request, response, body ?? null)
    },
  }
}

function refuse(response: ServerResponse): void {
  const error = new HeddleError('ORIGIN_FORBIDDEN')
  const failure: MemoryFailure = { ok: false, error: toWireError(error) }
  response.writeHead(ERRORS.ORIGIN_FORBIDDEN.status, {
    'content-type': 'application/json; charset=utf-8',
  })
  response.end(JSON.stringify(failure))
}
