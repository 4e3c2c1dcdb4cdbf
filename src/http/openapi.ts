import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

import { VERSION } from '../core/version.ts'

type OpenApiDocument = ReturnType<typeof jsonSchemaTransformObject>

/** Each shared schema comes in a form for requests and one for responses; what no route refers to is noise. */
function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const { components, paths } = document as {
    components?: { schemas?: Record<string, unknown> }
    paths?: unknown
  }
  const schemas = components?.schemas ?? {}
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (used.has(name)) continue
      used.add(name)
      visit(schemas[name] ?? {})
    }
  }
  visit(paths ?? {})
  const kept = Object.entries(schemas).filter(([name]) => used.has(name))
  return {
    ...document,
    components: { ...components, schemas: Object.fromEntries(kept) },
  } as OpenApiDocument
}

/** Collects the schemas of the routes registered after it and serves them as OpenAPI 3.1. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Heddle',
        version: VERSION,
        description: 'Memory for systems of agents. Every failure has the shape of `Failure`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key or the token of a run',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document)),
  })
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { hide: true },
    handler: (_request, reply) => reply.send(app.swagger()),
  })
}
