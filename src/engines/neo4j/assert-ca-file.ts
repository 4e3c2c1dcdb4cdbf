import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

import { HeddleError } from '../../core/errors.ts'

/**
 * Looks at the file of certificate authorities once, before anything connects: the driver would read
 * it with every connection and report a missing file as no error of its own.
 *
 * @throws HeddleError `CONFIG_INVALID`.
 */
export async function assertCaFile(caFile: string): Promise<void> {
  try {
    new X509Certificate(await readFile(caFile))
  } catch (cause) {
    const message = 'Expected a readable PEM file that begins with a certificate'
    throw new HeddleError('CONFIG_INVALID', {
      issues: [{ path: ['tls', 'caFile'], code: 'ca_file', message }],
      details: { engine: 'neo4j' },
      cause,
    })
  }
}
