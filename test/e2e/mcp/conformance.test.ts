import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { createMcpHttpHandler } from '../../../src/mcp/http-handler.ts'
import { NEVER } from '../../support/heddle.ts'
import { type App, openApp } from '../support/open-app.ts'

const run = promisify(execFile)
const SUITE = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

/**
 * The scenarios of the official suite that need nothing of their own from the server. All others call
 * fixture tools, prompts or resources that the suite names (`test_simple_text`, `test://static-text` …),
 * or capabilities that Heddle does not offer: logging, completion, resources, prompts, and streams
 * that are resumed.
 */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list']

/** The suite sends no credential, so here the handler stands behind a bare server that brings an identity. */
describe('the MCP conformance suite', () => {
  let app: App
  let bare: Server
  let url: string

  beforeAll(async () => {
    app = await openApp()
    const { heddle } = app
    const call: typeof heddle.call = (...words) => heddle.call(...words)
    const identity: Identity = await heddle.openLocalIdentity({ signal: NEVER, withRun: true })
    const handler = createMcpHttpHandler({ tools: 'single' })
    bare = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null')
        void handler.handle({ request, response, body, identity, signal: NEVER, call })
      })
    })
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/mcp`
  })

  afterAll(async () => {
    bare.closeAllConnections()
    bare.close()
    await app[Symbol.asyncDispose]()
  })

  it.each(SCENARIOS)('passes %s', async (scenario) => {
    const words = [SUITE, 'server', '--url', url, '--scenario', scenario]
    // It writes its results into the folder it runs in.
    const { stdout } = await run(process.execPath, words, { cwd: tmpdir(), timeout: 60_000 })
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/)
  })
})
