#!/usr/bin/env node
import { runCli } from '../cli/run-cli.ts'
import { loadConfig } from '../config/load-config.ts'
import { openHttpServer } from '../http/server.ts'
import { guardStdout } from '../mcp/guard-stdout.ts'
import { createMcpHttpHandler } from '../mcp/http-handler.ts'
import { serveStdio } from '../mcp/serve-stdio.ts'
import { runDemo } from './demo.ts'
import { openHeddle } from './open-heddle.ts'

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // The first asks; a second one, from someone who will not wait, ends the process as usual.
  process.once(name, () => stop.abort())
}

const { stdin, stdout, stderr } = process
// A client of `heddle mcp` reads protocol from the first byte on, also while the engine still opens.
const guard = process.argv.includes('mcp') ? guardStdout() : undefined
process.exitCode = await runCli(process.argv.slice(2), {
  loadConfig: (overrides) => loadConfig(process.env, overrides),
  openHeddle: (config, { migrate, anySchema, maintenance }) =>
    openHeddle(config, {
      schema: migrate === true ? 'migrate' : anySchema === true ? 'none' : 'check',
      ...(maintenance !== undefined && { maintenance }),
    }),
  serveHttp: (heddle) => openHttpServer(heddle, { mcp: createMcpHttpHandler(heddle.config.mcp) }),
  serveStdio: (heddle, { signal }) =>
    serveStdio(heddle, { signal, ...(guard && { stdout: guard.protocol }) }),
  runDemo,
  stdin,
  stdout: guard?.protocol ?? stdout,
  stderr,
  terminal: {
    stdin: stdin.isTTY,
    stdout: stdout.isTTY,
    stderr: stderr.isTTY,
    ...(stdout.isTTY && { columns: stdout.columns }),
  },
  env: process.env,
  signal: stop.signal,
})
