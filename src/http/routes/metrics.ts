import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

import type { RouteDeps } from '../context.ts'
import { documentResponses } from '../responses.ts'

/** Prometheus text. */
export function registerMetricsRoute(app: FastifyInstance, { metrics }: RouteDeps): void {
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'metrics',
      tags: ['health'],
      summary: 'Counts and durations for Prometheus',
      response: {
        ...documentResponses(200, z.string(), ['ENGINE_CLOSED', 'INTERNAL']),
        200: { description: 'Success', content: { 'text/plain': { schema: z.string() } } },
      },
    },
    handler: async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.render()),
  })
}
