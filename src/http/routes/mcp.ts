import type { FastifyInstance } from 'fastify'

import type { RouteDeps } from '../context.ts'
import { getCredential, requireCredential } from '../credential.ts'
import type { McpHttpHandler } from '../mcp-handler.ts'

/**
 * MCP over streamable HTTP, without sessions: every POST is whole in itself, so there is no stream
 * to GET and nothing to DELETE.
 */
export function registerMcpRoute(app: FastifyInstance, deps: RouteDeps, mcp: McpHttpHandler): void {
  app.route({
    method: 'POST',
    url: '/mcp',
    onRequest: requireCredential(deps.heddle),
    schema: { hide: true },
    handler: async (request, reply) => {
      const { identity } = getCredential(request)
      reply.hijack()
      // A hijacked reply does not send the headers that were set on it.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      await mcp.handle({
        request: request.raw,
        response: reply.raw,
        body: request.body,
        identity,
        signal: request.tracked.signal,
        call: deps.call,
      })
    },
  })
}
