import type { Command } from 'commander'

import type { HeddleConfig } from '../config/config.ts'
import type { SettingOverrides } from '../config/load-config.ts'
import { ERRORS } from '../core/errors.ts'
import type { Identity } from '../identity/identity.ts'
import type { Heddle } from '../memory/heddle.ts'
import type { MemoryReply, MemorySuccess } from '../memory/reply.ts'
import type { CliDeps, CliOpenOptions } from './deps.ts'
import { EXIT_CODES, statusToExitCode } from './exit-code.ts'
import { type GlobalOptions, toOverrides } from './globals.ts'
import { Output } from './output.ts'

interface ConfigOptions {
  /** The program goes on running, so it logs. */
  readonly isServing?: boolean
  /** Settings of the command's own options; undefined ones do not count. */
  readonly overrides?: SettingOverrides
  /** The command works for the operator, so options like `--tenant` name what it is about and not who runs it. */
  readonly asOperator?: boolean
}

/** One run of the program: what its command works with, and the exit code it leaves. */
export class Session {
  readonly deps: CliDeps
  exitCode: number = EXIT_CODES.ok

  constructor(deps: CliDeps) {
    this.deps = deps
  }

  globals(command: Command): GlobalOptions {
    return command.optsWithGlobals()
  }

  output(command: Command): Output {
    return new Output(this.deps, this.globals(command).json === true)
  }

  /** @throws HeddleError `CONFIG_INVALID`. */
  config(
    command: Command,
    { isServing = false, overrides = {}, asOperator = false }: ConfigOptions = {},
  ): HeddleConfig {
    const { tenant, agent, user, session, ...rest } = this.globals(command)
    const who = { tenant, agent, user, session }
    const globals = toOverrides(asOperator ? rest : { ...rest, ...who }, this.deps, { isServing })
    return this.deps.loadConfig({ ...globals, ...overrides })
  }

  /** Lends an open Heddle. */
  async withHeddle<T>(
    command: Command,
    use: (heddle: Heddle) => Promise<T>,
    options: CliOpenOptions & ConfigOptions = {},
  ): Promise<T> {
    const { migrate = false, anySchema = false } = options
    const config = this.config(command, options)
    const heddle = await this.deps.openHeddle(config, {
      maintenance: false,
      // Who types a command sees that nothing answers; waiting is for programs that go on running.
      isImpatient: true,
      migrate,
      anySchema,
    })
    try {
      return await use(heddle)
    } finally {
      await heddle.close()
    }
  }

  /** Lends an open Heddle to a command of the operator. */
  withOperator<T>(
    command: Command,
    use: (heddle: Heddle) => Promise<T>,
    options: CliOpenOptions = {},
  ): Promise<T> {
    return this.withHeddle(command, use, { ...options, asOperator: true })
  }

  /** The tenant that a command of the operator is about. */
  tenantOf(command: Command): string {
    return this.globals(command).tenant ?? this.config(command, { asOperator: true }).local.tenant
  }

  /** Lends an open Heddle and the identity of the operator's configuration. */
  withCaller<T>(
    command: Command,
    use: (heddle: Heddle, identity: Identity) => Promise<T>,
  ): Promise<T> {
    return this.withHeddle(command, async (heddle) => {
      const identity = await heddle.openLocalIdentity({ signal: this.deps.signal, withRun: false })
      return use(heddle, identity)
    })
  }

  /** Prints a reply and takes its exit code. */
  report(output: Output, reply: MemoryReply, human: (reply: MemorySuccess) => string): void {
    if (reply.ok) {
      output.result(reply, () => human(reply))
      for (const { message } of reply.notes) output.note(message)
      return
    }
    output.failure(reply)
    this.exitCode = statusToExitCode(ERRORS[reply.error.code].status)
  }
}
