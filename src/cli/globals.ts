import { type Command, Option } from 'commander'

import type { SettingOverrides } from '../config/load-config.ts'
import type { CliDeps } from './deps.ts'

/** The options that every command takes. They are the operator's, who owns the process and its configuration. */
export interface GlobalOptions {
  readonly json?: true
  readonly dataDir?: string
  readonly tenant?: string
  readonly agent?: string
  readonly user?: string
  readonly session?: string
  readonly verbose?: true
}

/** Adds the options; names in here are taken, see `operation-options.ts`. */
export function addGlobalOptions(program: Command): void {
  program
    .addOption(new Option('--json', 'one JSON object on standard output, for machines'))
    .addOption(new Option('--data-dir <folder>', 'folder of the embedded engine'))
    .addOption(new Option('--tenant <name>', 'tenant to work in'))
    .addOption(new Option('--agent <name>', 'agent to work as'))
    .addOption(new Option('--user <name>', 'user to work for'))
    .addOption(new Option('--session <name>', 'session to work in'))
    .addOption(new Option('--verbose', 'log everything to standard error'))
}

export const GLOBAL_NAMES: ReadonlySet<string> = new Set([
  'json',
  'data-dir',
  'tenant',
  'agent',
  'user',
  'session',
  'verbose',
  'scope',
  'help',
  'version',
])

/** The settings that the options stand for. Only programs that go on running log by default. */
export function toOverrides(
  { dataDir, tenant, agent, user, session, verbose }: GlobalOptions,
  { env }: Pick<CliDeps, 'env'>,
  { isServing = false } = {},
): SettingOverrides {
  const isQuiet = !isServing && (env['HEDDLE_LOG_LEVEL'] ?? '') === ''
  return {
    ...(dataDir !== undefined && { HEDDLE_DATA_DIR: dataDir }),
    ...(tenant !== undefined && { HEDDLE_TENANT: tenant }),
    ...(agent !== undefined && { HEDDLE_AGENT: agent }),
    ...(user !== undefined && { HEDDLE_USER: user }),
    ...(session !== undefined && { HEDDLE_SESSION: session }),
    ...(verbose === true
      ? { HEDDLE_LOG_LEVEL: 'debug' }
      : isQuiet && { HEDDLE_LOG_LEVEL: 'error' }),
  }
}
