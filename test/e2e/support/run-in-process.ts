/** The command line in this process: the same as the built program, without a start for each command. */
import { PassThrough, Readable } from 'node:stream'

import { openHeddle } from '../../../src/app/open-heddle.ts'
import type { CliDeps } from '../../../src/cli/deps.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { SILENT_LOGGER } from '../../../src/core/logger.ts'
import { collect, type Finished } from './program.ts'

export async function runInProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin = '',
  replaced: Partial<CliDeps> = {},
): Promise<Finished> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const said = collect(stdout)
  const complained = collect(stderr)
  const notHere = (): Promise<never> => Promise.reject(new Error('Servers are tested as programs'))
  const code = await runCli(words, {
    loadConfig: (overrides) => loadConfig(env, overrides),
    openHeddle: (config, { migrate, anySchema, isImpatient = false }) =>
      openHeddle(config, {
        schema: migrate === true ? 'migrate' : anySchema === true ? 'none' : 'check',
        isImpatient,
        maintenance: false,
        logger: SILENT_LOGGER,
      }),
    serveHttp: notHere,
    serveStdio: notHere,
    runDemo: notHere,
    stdin: Readable.from([Buffer.from(stdin, 'utf8')]),
    stdout,
    stderr,
    terminal: { stdin: false, stdout: false, stderr: false },
    env,
    signal: new AbortController().signal,
    ...replaced,
  })
  return { code, stdout: said(), stderr: complained() }
}
