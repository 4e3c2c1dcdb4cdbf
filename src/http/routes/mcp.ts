import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { ERRORS, type HeddleError } from '../../core/errors.ts'
import { failureFields } from '../../core/failure-fields.ts'
import type { RouteDeps } from '../context.ts'
import { getCredential, requireCredential } from '../credential.ts'
import { toFailure, toHttpError } from '../failure.ts'
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
      try {
        await mcp.handle({
          request: request.raw,
          response: reply.raw,
          body: request.body,
          identity,
          signal: request.tracked.signal,
          call: deps.call,
        })
      } catch (thrown) {
        // Nobody else answers a hijacked request.
        endFailed(deps, request, reply, toHttpError(thrown))
      }
    },
  })
}

function endFailed(
  { heddle }: RouteDeps,
  { id }: FastifyRequest,
  { raw }: FastifyReply,
  error: HeddleError,
): void {
  heddle.logger.error('http.failed', { id, route: '/mcp', ...failureFields(error) })
  if (raw.headersSent) {
    raw.destroy()
    return
  }
  raw.writeHead(ERRORS[error.code].status, { 'content-type': 'application/json; charset=utf-8' })
  raw.end(JSON.stringify(toFailure(error)))
}
