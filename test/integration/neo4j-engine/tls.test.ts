import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { describeWith } from '../../support/services.ts'
import type { TcpProxy } from '../../support/tcp-proxy.ts'
import { openTestEngine, read, startServerProxy } from './open-test-engine.ts'

const run = promisify(execFile)

/** A certificate for 127.0.0.1 that signs itself, so it is its own authority. */
async function makeCertificate(
  folder: string,
): Promise<{ key: string; cert: string; caFile: string }> {
  const [keyFile, caFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', keyFile, '-out', caFile, '-days', '2', '-subj', '/CN=127.0.0.1'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:TRUE'],
  ])
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(caFile, 'utf8'), caFile }
}

describeWith('neo4j')('TLS of the Neo4j engine', () => {
  let folder: string
  let caFile: string
  let proxy: TcpProxy
  let address: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'heddle-tls-'))
    const certificate = await makeCertificate(folder)
    caFile = certificate.caFile
    proxy = await startServerProxy(certificate)
    address = `127.0.0.1:${String(proxy.port)}`
  })

  afterAll(async () => {
    await proxy.close()
    await rm(folder, { recursive: true, force: true })
  })

  it.each(['bolt://', 'bolt+s://'])(
    'accepts a server whose authority is in the file, by %s',
    async (scheme) => {
      await using engine = await openTestEngine({ uri: `${scheme}${address}`, tls: { caFile } })
      expect(await read(engine, 'RETURN 1 AS one')).toEqual([{ one: 1n }])
    },
  )

  it('accepts any certificate when the URI says so', async () => {
    await using engine = await openTestEngine({ uri: `bolt+ssc://${address}` })
    expect(await read(engine, 'RETURN 1 AS one')).toEqual([{ one: 1n }])
  })

  it('refuses a server that the authorities of the system do not know', async () => {
    const refusal = { code: 'ENGINE_UNAVAILABLE', details: { reason: 'connection' } }
    await expect(openTestEngine({ uri: `bolt+s://${address}` })).rejects.toMatchObject(refusal)
    const uri = `bolt://${address}`
    await expect(openTestEngine({ uri, tls: { ca: 'system' } })).rejects.toMatchObject(refusal)
  })

  it('refuses a server of another authority than the one in the file', async () => {
    const other = await mkdtemp(path.join(folder, 'other-'))
    const { caFile: otherFile } = await makeCertificate(other)
    await expect(
      openTestEngine({ uri: `bolt://${address}`, tls: { caFile: otherFile } }),
    ).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  })

  it('names a file that cannot be read as a fault of the configuration', async () => {
    const missing = path.join(folder, 'missing.pem')
    const broken = path.join(folder, 'broken.pem')
    await writeFile(broken, 'not a certificate')
    for (const file of [missing, broken]) {
      await expect(
        openTestEngine({ uri: `bolt://${address}`, tls: { caFile: file } }),
      ).rejects.toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: ['tls', 'caFile'] }] })
    }
  })

  it('does not speak plainly to a server that wants TLS', async () => {
    await expect(
      openTestEngine({ uri: `bolt://${address}`, connectTimeoutMs: 500 }),
    ).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  })
})
