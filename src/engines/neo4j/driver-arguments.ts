import neo4j, { type AuthToken, type Config } from 'neo4j-driver'

import type { Neo4jConfig } from './config.ts'

export interface DriverArguments {
  readonly uri: string
  /** Absent: the server wants no authentication. */
  readonly auth?: AuthToken
  readonly config: Config
}

/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment --
   The driver declares its options as classes with private constructors and takes plain objects. */

/** What the driver is opened with. */
export function makeDriverArguments(config: Neo4jConfig): DriverArguments {
  const { uri, encryption } = resolveEncryption(config)
  return {
    uri,
    ...(config.auth === undefined
      ? {}
      : { auth: neo4j.auth.basic(config.auth.user, config.auth.password) }),
    config: {
      ...encryption,
      userAgent: 'heddle',
      useBigInt: true,
      telemetryDisabled: true,
      // Nobody reads the server's hints at run time, and they would travel with every result.
      notificationFilter: { minimumSeverityLevel: 'OFF' },
      maxConnectionPoolSize: config.maxPoolSize,
      connectionTimeout: config.connectTimeoutMs,
      // A call's own limit ends its wait for a connection; this only has to be the longer one.
      connectionAcquisitionTimeout: Math.max(config.connectTimeoutMs, config.transactionTimeoutMs),
      // A connection that was idle for a minute is tried before use: firewalls drop quiet ones silently.
      connectionLivenessCheckTimeout: 60_000,
    },
  }
}

/**
 * The driver takes TLS from the scheme or from its configuration, never from both, and a scheme
 * cannot name a file. So a file turns `neo4j+s` into `neo4j` with the same said in the configuration.
 */
function resolveEncryption({ uri, tls }: Neo4jConfig): {
  readonly uri: string
  readonly encryption: Pick<Config, 'encrypted' | 'trust' | 'trustedCertificates'>
} {
  if (tls === undefined) return { uri, encryption: {} }
  const plain = uri.replace(/^(neo4j|bolt)\+s:/, '$1:')
  const encrypted = 'ENCRYPTION_ON'
  if ('ca' in tls) {
    const trust = 'TRUST_SYSTEM_CA_SIGNED_CERTIFICATES'
    return { uri: plain, encryption: { encrypted, trust } }
  }
  const trust = 'TRUST_CUSTOM_CA_SIGNED_CERTIFICATES'
  return { uri: plain, encryption: { encrypted, trust, trustedCertificates: [tls.caFile] } }
}
