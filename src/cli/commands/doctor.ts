import { release } from 'node:os'

import type { Command } from 'commander'

import type { HeddleConfig } from '../../config/config.ts'
import { type ErrorCode, toHeddleError } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import type { ComponentHealth, Heddle } from '../../memory/heddle.ts'
import { EXIT_CODES } from '../exit-code.ts'
import { logInternal } from '../log-internal.ts'
import { maskConfig } from '../mask-config.ts'
import type { Output } from '../output.ts'
import { renderPairs, renderTable } from '../render/table.ts'
import type { Session } from '../session.ts'
import { renderVerifyReport, verifyStored } from './verify-evidence.ts'

interface Finding {
  readonly level: 'ok' | 'warning' | 'problem'
  readonly what: string
  /** What to do about it. */
  readonly advice?: string
}

interface Diagnosis {
  readonly versions: Readonly<Record<string, string | number>>
  readonly configured: Readonly<Record<string, string | number | boolean>>
  readonly components: readonly ComponentHealth[]
  readonly findings: readonly Finding[]
}

interface DoctorOptions {
  readonly verifyEvidence?: boolean
  readonly allTenants?: boolean
}

/** `heddle doctor`: what is configured, what answers, which versions, what to do. */
export function addDoctorCommand(program: Command, session: Session): void {
  const command = program
    .command('doctor')
    .description('Say what is configured, what answers, which versions, and what to do')
    .option(
      '--verify-evidence',
      'also recompute the hashes of all texts, chunks, turns and evidence',
    )
    .option('--all-tenants', 'with --verify-evidence: of every tenant, not only what you may read')
  command.action(async () => {
    const output = session.output(command)
    const config = session.config(command)
    const diagnosis = await diagnose(session, command, config)
    const isWell = diagnosis.findings.every(({ level }) => level !== 'problem')
    if (!isWell) session.exitCode = EXIT_CODES.unavailable
    const { verifyEvidence, allTenants } = command.opts<DoctorOptions>()
    const evidence =
      isWell && verifyEvidence === true
        ? await verifyStored(session, command, output, allTenants === true)
        : undefined
    const isIntact = evidence === undefined || evidence.failed === 0
    if (!isIntact) session.exitCode = EXIT_CODES.failed
    output.result({ ok: isWell && isIntact, ...diagnosis, ...(evidence && { evidence }) }, () =>
      [
        render(diagnosis, output),
        ...(evidence === undefined ? [] : ['', renderVerifyReport(evidence, output)]),
      ].join('\n'),
    )
  })
}

async function diagnose(
  session: Session,
  command: Command,
  config: HeddleConfig,
): Promise<Diagnosis> {
  const base = {
    configured: maskConfig(config),
    versions: {
      heddle: VERSION,
      node: process.versions.node,
      system: `${process.platform} ${release()}`,
    },
  }
  try {
    return await session.withHeddle(command, async (heddle) => {
      const components = await heddle.health({ signal: session.deps.signal })
      const findings = components.map(toFinding)
      // Without the database it would only wait and say the same again.
      if (components.every(({ ok, required }) => ok || !required)) {
        findings.push(await checkIdentity(heddle, session))
      }
      return {
        ...base,
        versions: { ...base.versions, ...versionsOf(components) },
        components,
        findings,
      }
    })
  } catch (thrown) {
    const error = toHeddleError(thrown)
    logInternal(session.deps, error)
    const { code, message } = error
    const finding: Finding = {
      level: 'problem',
      what: `${code}: ${message}`,
      ...advise(code, config),
    }
    return { ...base, components: [], findings: [finding] }
  }
}

function toFinding({ name, ok, required, details }: ComponentHealth): Finding {
  if (ok) return { level: 'ok', what: `${name} answers` }
  const code = String(details['code'] ?? 'ENGINE_UNAVAILABLE')
  const level = required ? 'problem' : 'warning'
  return { level, what: `${name} does not answer (${code})`, ...advise(code) }
}

async function checkIdentity(heddle: Heddle, { deps }: Session): Promise<Finding> {
  try {
    const { tenant, agent } = await heddle.openLocalIdentity({
      signal: deps.signal,
      withRun: false,
    })
    return { level: 'ok', what: `local processes are agent "${agent}" of tenant "${tenant}"` }
  } catch (thrown) {
    const { code, message } = toHeddleError(thrown)
    return { level: 'problem', what: `${code}: ${message}`, ...advise(code) }
  }
}

const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  ENGINE_UNAVAILABLE: 'Check that the server runs and that the URL names it',
  ENGINE_LOGIN_REFUSED:
    'Check user, password and database of DATABASE_URL; docs/operations.md says how a new server gets its roles',
  DATA_FOLDER_UNUSABLE:
    'Set HEDDLE_DATA_DIR (or --data-dir) to a folder that this user may write to',
  ENGINE_HOST_UNRESPONSIVE:
    'Another process hosts the data folder and does not answer; resume or end it',
  SCHEMA_BEHIND: 'Run: heddle migrate',
  SCHEMA_NEWER: 'Update Heddle: the database was migrated by a newer one',
  TENANT_UNKNOWN: 'Run: heddle init (or heddle tenants create NAME)',
  CREDENTIAL_INVALID: 'HEDDLE_API_KEY is not valid here; make one with: heddle keys create',
  CONFIG_INVALID: 'Correct the setting that is named',
}

function advise(code: string, config?: HeddleConfig): { advice?: string } {
  const advice = ADVICE[code as ErrorCode]
  const isEmbedded = config?.database.kind === 'embedded' && code === 'ENGINE_UNAVAILABLE'
  if (isEmbedded) return { advice: 'Check that the data folder exists and may be written to' }
  return advice === undefined ? {} : { advice }
}

/** `postgres` 18.1 with `vector_version` 0.8 becomes `postgres` and `postgres.vector`. */
function versionsOf(components: readonly ComponentHealth[]): Record<string, string | number> {
  const versions: Record<string, string | number> = {}
  for (const { name, details } of components) {
    for (const [key, value] of Object.entries(details)) {
      const part = /^(.*?)_?version$/i.exec(key)?.[1]
      if (part === undefined || typeof value === 'boolean') continue
      versions[part === '' ? name : `${name}.${part.toLowerCase()}`] = value
    }
  }
  return versions
}

function render(
  { versions, configured, components, findings }: Diagnosis,
  { colours }: Output,
): string {
  const signs = { ok: colours.green('✓'), warning: colours.yellow('!'), problem: colours.red('✗') }
  const lines = findings.flatMap(({ level, what, advice }) => [
    `${signs[level]} ${what}`,
    ...(advice === undefined ? [] : [`  ${colours.dim('→')} ${advice}`]),
  ])
  const health = components.map(({ name, ok, required }) => [
    name,
    ok ? 'answers' : 'does not answer',
    required ? 'required' : 'optional',
  ])
  return [
    colours.bold('Configured'),
    renderPairs(Object.entries(configured)),
    '',
    colours.bold('Versions'),
    renderPairs(Object.entries(versions)),
    ...(health.length > 0
      ? ['', colours.bold('Components'), renderTable(['name', 'state', ''], health)]
      : []),
    '',
    colours.bold('Findings'),
    ...lines,
  ].join('\n')
}
