import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Identity } from '../identity/identity.ts'
import type { Heddle } from '../memory/heddle.ts'

/** One request to `/mcp`, its bearer token already turned into an identity. */
interface McpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The parsed JSON body. */
  readonly body: unknown
  readonly identity: Identity
  /** Aborts when the client goes away or the server stops waiting. */
  readonly signal: AbortSignal
  /** The memory tool, counted by the server's metrics. */
  readonly call: Heddle['call']
}

/** Answers MCP over HTTP. The composition root brings it: this room knows nothing of MCP. */
export interface McpHttpHandler {
  handle(exchange: McpExchange): Promise<void>
}
