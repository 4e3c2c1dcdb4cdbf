import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

import { type App, openApp } from '../e2e/support/open-app.ts'

const Document = z.object({
  openapi: z.string(),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ responses: z.record(z.string(), z.unknown()), security: z.unknown().optional() }),
    ),
  ),
})

let app: App

beforeAll(async () => {
  app = await openApp()
})

afterAll(() => app[Symbol.asyncDispose]())

it('keeps the routes, the statuses they document and which of them want a credential', async () => {
  const document = Document.parse(await (await fetch(`${app.url}/openapi.json`)).json())
  expect(document.openapi).toBe('3.1.0')
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses, security }]) => {
      const guarded = security === undefined ? 'open' : 'bearer'
      return `${method.toUpperCase()} ${path} ${guarded} ${Object.keys(responses).join(' ')}`
    }),
  )
  const memory = 'bearer 200 400 401 403 404 409 410 413 415 499 500 503 504'
  expect(routes).toEqual([
    `POST /v1/memory ${memory}`,
    `POST /v1/memory/recall ${memory}`,
    `POST /v1/memory/observe ${memory}`,
    `POST /v1/memory/doc.import ${memory}`,
    `POST /v1/memory/doc.create ${memory}`,
    `POST /v1/memory/doc.update ${memory}`,
    `POST /v1/memory/doc.move ${memory}`,
    `POST /v1/memory/doc.reorder ${memory}`,
    `POST /v1/memory/doc.get ${memory}`,
    `POST /v1/memory/doc.outline ${memory}`,
    `POST /v1/memory/doc.find ${memory}`,
    `POST /v1/memory/doc.tags ${memory}`,
    `POST /v1/memory/doc.links ${memory}`,
    `POST /v1/memory/doc.backlinks ${memory}`,
    `POST /v1/memory/doc.history ${memory}`,
    `POST /v1/memory/doc.diff ${memory}`,
    `POST /v1/memory/doc.export ${memory}`,
    `POST /v1/memory/doc.search ${memory}`,
    `POST /v1/memory/doc.delete ${memory}`,
    `POST /v1/memory/get ${memory}`,
    `POST /v1/memory/list ${memory}`,
    `POST /v1/memory/forget ${memory}`,
    `POST /v1/memory/help ${memory}`,
    `POST /v1/memory/evidence.add ${memory}`,
    `POST /v1/memory/evidence.locate ${memory}`,
    `POST /v1/memory/kv.set ${memory}`,
    `POST /v1/memory/kv.get ${memory}`,
    `POST /v1/memory/kv.delete ${memory}`,
    `POST /v1/memory/kv.list ${memory}`,
    `POST /v1/memory/kv.incr ${memory}`,
    `POST /v1/memory/kv.merge ${memory}`,
    `POST /v1/memory/kv.append_unique ${memory}`,
    `POST /v1/memory/kv.push_bounded ${memory}`,
    `POST /v1/memory/kv.history ${memory}`,
    `POST /v1/memory/kv.batch ${memory}`,
    'POST /v1/runs bearer 201 400 401 403 404 413 415 499 500 503 504',
    'POST /v1/runs/{id}/end bearer 200 400 401 403 404 413 415 499 500 503 504',
    'GET /health/live open 200',
    'GET /health/ready open 200 503',
    'GET /metrics open 200 500 503',
  ])
})

it('documents every failure in one shape', async () => {
  const text = await (await fetch(`${app.url}/openapi.json`)).text()
  const { paths } = z.object({ paths: z.unknown() }).parse(JSON.parse(text))
  const failures = JSON.stringify(paths).match(/"\$ref":"#\/components\/schemas\/Failure"/g) ?? []
  expect(failures.length).toBe(35 * 12 + 2 * 10 + 2)
})

it('serves MCP and the document itself outside of it', async () => {
  expect((await fetch(`${app.url}/mcp`, { method: 'POST' })).status).toBe(401)
  expect((await fetch(`${app.url}/openapi.json`)).status).toBe(200)
})
