import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { type App, bearer, openApp } from '../support/open-app.ts'

/** The part of JSON Schema that our own documents use. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxLength?: number
  readonly format?: string
}

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        requestBody: z
          .object({ content: z.record(z.string(), z.object({ schema: z.custom<Schema>() })) })
          .optional(),
        responses: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
})

interface Route {
  readonly path: string
  readonly body: Schema
  readonly statuses: ReadonlySet<number>
}

const RUNS = Number(process.env['HEDDLE_TEST_FUZZ_RUNS'] ?? 40)
/** A fixed seed: a failure is the same failure tomorrow. */
const SEED = 4417

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '%',
    "'; drop table kv_entry; --",
    '../..',
    '\\',
    '👩‍🚀',
    '<|endoftext|>',
    '__proto__',
  ),
)

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  text,
  fc.constantFrom(
    null,
    [],
    {},
    -1,
    0,
    1e9,
    1e308,
    9007199254740993,
    0.1,
    true,
    'abc',
    '2026-13-40T99:99:99Z',
  ),
)

/** Mostly what the schema allows, and in every place now and then something else. */
function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: fitting(schema) }, { weight: 1, arbitrary: junk })
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type ?? 'any') {
    case 'string':
      return schema.format === 'uuid' ? fc.oneof(fc.uuid(), text) : text
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -1e9),
        max: Math.min(schema.maximum ?? 1000, 1e9),
      })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      })
    case 'object':
      return objectOf(schema)
    default:
      return junk
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, arbitraryOf(schema)] as const,
  )
  const known = fc.record(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => name in properties),
  })
  const strange = fc.dictionary(text, junk, { maxKeys: 2 })
  return fc.oneof(
    { weight: 9, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, strange).map(([a, b]) => ({ ...a, ...b })) },
  )
}

describe('any request at all', () => {
  let app: App
  let routes: readonly Route[]
  let tokens: Readonly<Record<'agent' | 'service', string>>

  beforeAll(async () => {
    app = await openApp({ env: { HEDDLE_BODY_LIMIT_BYTES: '65536' } })
    const tenant = await app.tenant()
    tokens = {
      agent: await app.key(tenant, {
        user: 'u1',
        grants: ['tenant:read', 'tenant:write', 'global:read'],
      }),
      service: await app.key(tenant, { role: 'service', grants: ['tenant:read'] }),
    }
    const document = Document.parse(await (await fetch(`${app.url}/openapi.json`)).json())
    routes = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post === undefined
        ? []
        : {
            path: path.replace('{id}', 'b8f3c7de-61a2-4c0e-8f5d-0a9b7e6c5d43'),
            body: post.requestBody?.content['application/json']?.schema ?? {},
            statuses: new Set(Object.keys(post.responses).map(Number)),
          },
    )
  })

  afterAll(() => app[Symbol.asyncDispose]())

  it('has an answer of a documented status and shape, and never a server error', async () => {
    expect(routes.length).toBeGreaterThan(20)
    for (const { path, body, statuses } of routes) {
      const token = path.startsWith('/v1/runs') ? tokens.service : tokens.agent
      await fc.assert(
        fc.asyncProperty(arbitraryOf(body), async (value) => {
          const response = await app.post(path, JSON.stringify(value), bearer(token))
          const answer = (await response.json()) as { ok?: boolean; error?: { code?: string } }
          expect(response.status, `${path} ${JSON.stringify(answer.error)}`).toBeLessThan(500)
          expect(statuses, path).toContain(response.status)
          if (response.status >= 400)
            expect(answer).toMatchObject({
              ok: false,
              error: { code: expect.any(String) as unknown },
            })
        }),
        { numRuns: RUNS, seed: SEED },
      )
    }
  })

  it('survives any bytes as body and any path', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const response = await fetch(`${app.url}/v1/memory`, {
          method: 'POST',
          headers: { ...bearer(tokens.agent), 'content-type': 'application/json' },
          body: Buffer.from(bytes),
        })
        await response.arrayBuffer()
        expect(response.status).toBe(400)
      }),
      { numRuns: RUNS, seed: SEED },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.webPath(),
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
        async (path, method) => {
          const response = await fetch(`${app.url}/v1${path}`, {
            method,
            headers: bearer(tokens.agent),
          })
          await response.arrayBuffer()
          expect(response.status).toBeLessThan(500)
        },
      ),
      { numRuns: RUNS, seed: SEED },
    )
  })
})
