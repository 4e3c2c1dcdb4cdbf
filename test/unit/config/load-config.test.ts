import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { loadConfig } from '../../../src/config/load-config.ts'
import { HeddleError } from '../../../src/core/errors.ts'

function failure(run: () => unknown): HeddleError {
  try {
    run()
  } catch (error) {
    if (error instanceof HeddleError) return error
    throw error
  }
  throw new Error('expected a failure')
}

describe('loadConfig', () => {
  it('is the embedded engine with safe defaults when nothing is said', () => {
    const config = loadConfig({})
    expect(config.database).toMatchObject({ kind: 'embedded' })
    expect(config.http.host).toBe('127.0.0.1')
    expect(config.local).toMatchObject({ tenant: 'default', agent: 'local', isolated: false })
    expect(config).not.toHaveProperty('neo4j')
    expect(Object.isFrozen(config.limits)).toBe(true)
  })

  it('takes overrides before the environment and the environment before the file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'heddle-config-')), 'heddle.yaml')
    writeFileSync(
      file,
      'HEDDLE_PORT: 1001\nHEDDLE_AGENT: from-file\nHEDDLE_GRANTS: [tenant:read]\n',
    )
    const env = { HEDDLE_CONFIG: file, HEDDLE_PORT: '1002', HEDDLE_USER: 'ada' }
    const config = loadConfig(env, { HEDDLE_USER: 'bo', HEDDLE_SESSION: undefined })
    expect(config.http.port).toBe(1002)
    expect(config.local).toMatchObject({ agent: 'from-file', user: 'bo', grants: ['tenant:read'] })
  })

  it.each([
    [{ HEDDLE_DATADIR: '/x' }, 'did you mean HEDDLE_DATA_DIR?'],
    [{ HEDDLE_PORT: 'eighty' }, 'HEDDLE_PORT'],
    [{ DATABASE_OWNER_URL: 'postgres://h/d' }, 'DATABASE_URL'],
    [{ HEDDLE_GRANTS: 'tenant:read,everything' }, 'Unknown grant "everything"'],
    [{ HEDDLE_CONFIG: '/nonexistent/heddle.yaml' }, 'cannot be read'],
  ])('refuses %j and says why', (env, message) => {
    const error = failure(() => loadConfig(env))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain(message)
  })

  it('never repeats a value, which may be a secret', () => {
    const error = failure(() => loadConfig({ HEDDLE_POOL_SIZE: 'hunter2' }))
    expect(JSON.stringify([error, error.message, error.issues])).not.toContain('hunter2')
  })

  it('keeps secrets out of JSON and spreads', () => {
    const secrets = {
      DATABASE_URL: 'postgres://a:hunter2@h/d',
      NEO4J_PASSWORD: 'hunter2',
      HEDDLE_API_KEY: 'hunter2',
    }
    const config = loadConfig({ ...secrets, NEO4J_URI: 'neo4j://h', NEO4J_USER: 'u' })
    expect(JSON.stringify({ ...config })).not.toContain('hunter2')
    expect(config.neo4j?.password).toBe('hunter2')
  })

  it('does not look at the variables of other programs', () => {
    expect(() =>
      loadConfig({ PATH: '/bin', HEDDLE_TEST_DATABASE_URL: 'x', HEDDLE_REQUIRE_SERVICES: '1' }),
    ).not.toThrow()
  })
})
