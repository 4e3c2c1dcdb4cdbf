import { once } from 'node:events'

import type { Command } from 'commander'

import type { Session } from '../session.ts'

/** `heddle serve`: HTTP and MCP over HTTP until the program is asked to stop. */
export function addServeCommand(program: Command, session: Session): void {
  const command = program
    .command('serve')
    .description('Serve HTTP: the memory tool, runs, MCP, OpenAPI, health and metrics')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port to listen on; 0 picks one')
    .option('--migrate', 'apply missing migrations first')
  command.action(async () => {
    const { host, port, migrate } = command.opts<{ host?: string; port?: string; migrate?: true }>()
    const { deps } = session
    const config = session.config(command, {
      isServing: true,
      overrides: { HEDDLE_HOST: host, HEDDLE_PORT: port },
    })
    const output = session.output(command)
    const heddle = await deps.openHeddle(config, { migrate: migrate === true })
    try {
      const server = await deps.serveHttp(heddle, { signal: deps.signal })
      try {
        output.result(
          { ok: true, url: server.url, port: server.port },
          () => `Heddle listens on ${server.url}`,
        )
        if (!deps.signal.aborted) await once(deps.signal, 'abort')
        output.note('Stopping: waiting for calls in flight')
      } finally {
        await server.close()
      }
    } finally {
      await heddle.close()
    }
  })
}
