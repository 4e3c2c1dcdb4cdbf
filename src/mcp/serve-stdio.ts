import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

import { toHeddleError } from '../core/errors.ts'
import { failureFields } from '../core/failure-fields.ts'
import type { Heddle } from '../memory/heddle.ts'
import { createMcpServer } from './create-mcp-server.ts'
import { DrainingTransport } from './draining-transport.ts'
import { type GuardedStdout, guardStdout } from './guard-stdout.ts'
import { LocalCaller } from './local-caller.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface StdioOptions {
  /** Default: the process's. */
  readonly stdin?: Readable
  /** Default: the process's, which is then kept for the protocol alone. */
  readonly stdout?: Writable
  /** Ends the server as the end of `stdin` does: calls that came in are answered first. */
  readonly signal: AbortSignal
}

/**
 * Serves MCP over standard input and output until the input ends or `signal` aborts. The identity is
 * the operator's configuration, with a run of its own that ends with the server.
 */
export async function serveStdio(heddle: Heddle, options: StdioOptions): Promise<void> {
  const { stdin = process.stdin, signal } = options
  const guard = options.stdout === undefined ? guardStdout() : undefined
  const stdout = guard?.protocol ?? options.stdout ?? process.stdout
  const caller = new LocalCaller(heddle)
  const transport = new DrainingTransport(
    new StdioTransport(stdin, stdout, { maxMessageBytes: heddle.config.http.bodyLimitBytes }),
  )
  const server = createMcpServer(caller, (asked) => caller.identity(asked), {
    tools: heddle.config.mcp.tools,
    logger: heddle.logger,
  })
  // Its text may quote the message, so only the class of the fault is logged.
  server.onerror = (error) => heddle.logger.warn('mcp.message_refused', { cause: error.name })
  try {
    const ended = untilEnded(stdin, stdout, server, signal)
    await server.connect(transport)
    warmUp(heddle, caller, signal)
    await ended
    await transport.drain(heddle.config.http.shutdownTimeoutMs)
  } finally {
    await server.close()
    await endRun(heddle, caller)
    if (guard !== undefined) await release(guard)
  }
}

/** The first call need not wait for the run to be opened; when this fails, that call says so. */
function warmUp(heddle: Heddle, caller: LocalCaller, signal: AbortSignal): void {
  caller.identity(signal).catch((thrown: unknown) => {
    heddle.logger.warn('mcp.identity_failed', failureFields(toHeddleError(thrown)))
  })
}

async function endRun(heddle: Heddle, caller: LocalCaller): Promise<void> {
  try {
    await caller.close(AbortSignal.timeout(heddle.config.http.shutdownTimeoutMs))
  } catch (thrown) {
    // It expires on its own.
    heddle.logger.warn('mcp.run_not_ended', failureFields(toHeddleError(thrown)))
  }
}

/** Resolves when the client is gone in whichever way, or the program is to stop. */
function untilEnded(
  stdin: Readable,
  stdout: Writable,
  server: { onclose?: () => void },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve()
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    stdin.once('end', end)
    stdin.once('close', end)
    stdout.once('error', end)
    server.onclose = end
  })
}

async function release({ protocol, restore }: GuardedStdout): Promise<void> {
  protocol.end()
  await finished(protocol).catch(() => undefined)
  restore()
}
