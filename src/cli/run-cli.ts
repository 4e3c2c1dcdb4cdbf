import { Command, CommanderError } from 'commander'

import { VERSION } from '../core/version.ts'
import { addCallCommand } from './commands/call.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addExportCommand } from './commands/export.ts'
import { addHelpCommand } from './commands/help.ts'
import { addImportCommand } from './commands/import.ts'
import { addInitCommand } from './commands/init.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addObserveCommand } from './commands/observe.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTenantCommands } from './commands/tenants.ts'
import type { CliDeps } from './deps.ts'
import { EXIT_CODES, statusToExitCode } from './exit-code.ts'
import { addGlobalOptions } from './globals.ts'
import { logInternal } from './log-internal.ts'
import { addOperationCommands } from './operation-commands.ts'
import { Output } from './output.ts'
import { Session } from './session.ts'
import { usageError } from './usage-error.ts'

/**
 * Runs one command line; `argv` are the words after the program's name. Resolves with the exit code
 * (`exit-code.ts`) and never rejects: what went wrong has been printed.
 */
export async function runCli(argv: readonly string[], deps: CliDeps): Promise<number> {
  ignoreClosedPipe(deps)
  const session = new Session(deps)
  const isJson = argv.includes('--json')
  const program = makeProgram(session)
  silenceCommander(program, isJson)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return deps.signal.aborted && session.exitCode !== EXIT_CODES.ok
      ? EXIT_CODES.cancelled
      : session.exitCode
  } catch (thrown) {
    const output = new Output(deps, isJson)
    if (thrown instanceof CommanderError) return endByCommander(thrown, output)
    const error = output.error(thrown)
    logInternal(deps, error)
    return statusToExitCode(error.status)
  }
}

/** Every command, option and argument; also what the pins and the reference page are made from. */
export function makeProgram(session: Session): Command {
  const program = new Command('heddle')
    .description('Memory for systems of agents')
    .version(VERSION, '--version', 'show the version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => session.deps.stdout.write(text),
      writeErr: (text) => session.deps.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  addGlobalOptions(program)
  addInitCommand(program, session)
  addServeCommand(program, session)
  addMcpCommand(program, session)
  addImportCommand(program, session)
  addExportCommand(program, session)
  addObserveCommand(program, session)
  addOperationCommands(program, session)
  addCallCommand(program, session)
  addKeyCommands(program, session)
  addTenantCommands(program, session)
  addMigrateCommand(program, session)
  addDoctorCommand(program, session)
  addDemoCommand(program, session)
  addHelpCommand(program, session)
  return program
}

/** Errors of usage are printed by {@link endByCommander}, in one place and one shape. */
function silenceCommander(program: Command, isJson: boolean): void {
  const visit = (command: Command): void => {
    command.configureOutput({ outputError: () => undefined })
    if (isJson) command.configureOutput({ writeErr: () => undefined })
    command.commands.forEach(visit)
  }
  visit(program)
}

function endByCommander(error: CommanderError, output: Output): number {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version')
    return EXIT_CODES.ok
  // A group without its subcommand: its help has been shown.
  const isBareGroup = error.code === 'commander.help'
  if (!isBareGroup || output.isJson) {
    const message = isBareGroup ? 'A subcommand is needed' : error.message.replace(/^error: /, '')
    output.error(usageError(message))
  }
  return EXIT_CODES.usage
}

/** `heddle list | head` closes our output early; that is no failure. */
function ignoreClosedPipe({ stdout, stderr }: CliDeps): void {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
