import { inspect } from 'node:util'

import { describe, expect, it } from 'vitest'

import { makeNeo4jConfig, type Neo4jOptions } from '../../../../src/engines/neo4j/config.ts'
import { makeDriverArguments } from '../../../../src/engines/neo4j/driver-arguments.ts'

const uri = 'neo4j://graph.example:7687'

function issuesOf(options: Neo4jOptions): unknown {
  try {
    makeNeo4jConfig(options)
    return []
  } catch (error) {
    return error
  }
}

describe('makeNeo4jConfig', () => {
  it('fills in defaults and freezes', () => {
    const config = makeNeo4jConfig({ uri })
    expect(config).toMatchObject({
      maxPoolSize: 20,
      connectTimeoutMs: 5_000,
      transactionTimeoutMs: 30_000,
      maxRetryTimeMs: 10_000,
      startup: 'required',
      schema: 'check',
    })
    expect(Object.isFrozen(config)).toBe(true)
    expect(makeNeo4jConfig(config)).toEqual(config)
  })

  it('keeps the password out of JSON, spreads and inspection, and hands it to the driver', () => {
    const config = makeNeo4jConfig({ uri, auth: { user: 'heddle', password: 'hunter2' } })
    expect(JSON.stringify(config)).not.toContain('hunter2')
    expect(inspect(config, { depth: 9 })).not.toContain('hunter2')
    expect(JSON.stringify({ ...config, auth: { ...config.auth } })).not.toContain('hunter2')
    expect(makeDriverArguments(makeNeo4jConfig(config)).auth).toMatchObject({
      principal: 'heddle',
      credentials: 'hunter2',
    })
  })

  it.each([
    ['graph.example', 'uri_format'],
    ['http://graph.example:7687', 'uri_scheme'],
    ['neo4j://user:secret@graph.example', 'uri_credentials'],
    ['bolt://graph.example/db', 'uri_format'],
    ['bolt://graph.example?region=eu', 'uri_query'],
  ])('refuses %s', (wrong, code) => {
    const error = issuesOf({ uri: wrong })
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: ['uri'], code }] })
    expect(inspect(error)).not.toContain('secret')
  })

  it.each([
    'bolt://127.0.0.1:7687',
    'neo4j+s://graph.example',
    'bolt+ssc://[::1]:7687',
    'neo4j://graph.example:7687?region=eu',
  ])('takes %s', (right) => {
    expect(issuesOf({ uri: right })).toEqual([])
  })

  it('refuses numbers that make no sense, all at once', () => {
    const error = issuesOf({
      uri,
      maxPoolSize: 1,
      connectTimeoutMs: 0,
      recheckMs: 1.5,
      closeGraceMs: -1,
    })
    expect(error).toMatchObject({
      issues: ['maxPoolSize', 'connectTimeoutMs', 'recheckMs', 'closeGraceMs'].map((name) => ({
        path: [name],
        code: 'number_range',
      })),
    })
  })

  it('refuses TLS options beside a URI that switches the check off', () => {
    const error = issuesOf({ uri: 'neo4j+ssc://graph.example', tls: { ca: 'system' } })
    expect(error).toMatchObject({ issues: [{ code: 'uri_tls' }] })
  })
})

describe('makeDriverArguments', () => {
  const argumentsFor = (options: Neo4jOptions) => makeDriverArguments(makeNeo4jConfig(options))

  it('leaves TLS to the scheme when nothing else is said', () => {
    const { uri: given, auth, config } = argumentsFor({ uri: 'neo4j+s://graph.example' })
    expect(given).toBe('neo4j+s://graph.example')
    expect(auth).toBeUndefined()
    expect(config).not.toHaveProperty('encrypted')
    expect(config).not.toHaveProperty('trust')
  })

  it('turns the scheme into its plain form when the configuration says TLS', () => {
    expect(argumentsFor({ uri: 'bolt+s://h:1', tls: { caFile: '/ca.pem' } })).toMatchObject({
      uri: 'bolt://h:1',
      config: {
        encrypted: 'ENCRYPTION_ON',
        trust: 'TRUST_CUSTOM_CA_SIGNED_CERTIFICATES',
        trustedCertificates: ['/ca.pem'],
      },
    })
    expect(argumentsFor({ uri: 'neo4j://h', tls: { ca: 'system' } })).toMatchObject({
      uri: 'neo4j://h',
      config: { encrypted: 'ENCRYPTION_ON', trust: 'TRUST_SYSTEM_CA_SIGNED_CERTIFICATES' },
    })
  })

  it('asks for bigint and sets the limits', () => {
    const { config } = argumentsFor({ uri, connectTimeoutMs: 40_000, maxPoolSize: 7 })
    expect(config).toMatchObject({
      useBigInt: true,
      maxConnectionPoolSize: 7,
      connectionTimeout: 40_000,
      connectionAcquisitionTimeout: 40_000,
    })
  })
})
