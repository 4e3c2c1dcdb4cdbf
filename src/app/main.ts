#!/usr/bin/env node
import { runCli } from '../cli/run-cli.ts'
import { loadConfig } from '../config/load-config.ts'
import { guardStdout } from '../mcp/guard-stdout.ts'
import { runDemo } from './demo.ts'
import { openHeddle } from './open-heddle.ts'

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // The first asks; a second one, from someone who will not wait, ends the process as usual.
  process.once(name, () => stop.abort())
}

const { stdin, stdout, stderr } = process
// A client of `heddle mcp` reads protocol from the first byte on, also while the engine still opens.
const isStdio = process.argv.includes('mcp')
const guard = isStdio ? guardStdout() : undefined
// Loading this takes long, and so does opening the engine: both begin at once.
const loadStdio = isStdio ? import('../mcp/serve-stdio.ts') : undefined
process.exitCode = await runCli(process.argv.slice(2), {
  loadConfig: (overrides) => loadConfig(process.env, overrides),
  openHeddle: (config, { migrate, anySchema, maintenance, isImpatient }) =>
    openHeddle(config, {
      schema: migrate === true ? 'migrate' : anySchema === true ? 'none' : 'check',
      ...(maintenance !== undefined && { maintenance }),
      ...(isImpatient !== undefined && { isImpatient }),
    }),
  // A surface is loaded by the command that serves it, so that others start sooner.
  serveHttp: async (heddle) => {
    const [{ openHttpServer }, { createMcpHttpHandler }] = await Promise.all([
      import('../http/server.ts'),
      import('../mcp/http-handler.ts'),
    ])
    return openHttpServer(heddle, { mcp: createMcpHttpHandler(heddle.config.mcp) })
  },
  serveStdio: async (heddle, { signal }) => {
    const { serveStdio } = await (loadStdio ?? import('../mcp/serve-stdio.ts'))
    return serveStdio(heddle, { signal, ...(guard && { stdout: guard.protocol }) })
  },
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
