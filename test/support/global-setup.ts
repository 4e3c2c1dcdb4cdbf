/** Before the suites that need engines: a fresh build, running services, no left-over databases. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

import type { TestProject } from 'vitest/node'

import { dropTemplates, sweepTestDatabases } from './database.ts'
import { resolveServices } from './resolve-services.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isStrict = Boolean(process.env['CI'] || process.env['HEDDLE_REQUIRE_SERVICES'])
  ensureBuild({ isStrict })

  const resolved = await resolveServices(process.env)
  if (isStrict && resolved.missing.length > 0) {
    await resolved.stop()
    throw new Error(['Services are required for this run.', ...resolved.missing].join('\n'))
  }
  for (const line of resolved.missing) process.stderr.write(`${line}; its suites are skipped\n`)

  const testRun = randomBytes(4).toString('hex')
  project.provide('services', resolved.services)
  project.provide('testRun', testRun)

  const { postgres18, postgres15 } = resolved.services
  const clusters = [postgres18, postgres15].filter((url) => url !== undefined)
  await Promise.all(clusters.map((url) => sweepTestDatabases(url)))
  return async () => {
    await Promise.allSettled(clusters.map((url) => dropTemplates(url, testRun)))
    await resolved.stop()
  }
}

/**
 * Builds `dist` unless it is up to date; end-to-end tests spawn the built command. A build that
 * fails ends a strict run; otherwise it is said and the other suites still run.
 */
export function ensureBuild({ isStrict }: { readonly isStrict: boolean }): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status === 0) return
  const line = 'The build failed: dist is missing or older than src (npm run build)'
  if (isStrict) throw new Error(line)
  process.stderr.write(`${line}\n`)
}
