import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'

import type pg from 'pg'

const CANCEL_CODE = 80_877_102
const SSL_CODE = 80_877_103
const LIMIT_MS = 2_000

/** What the driver keeps of a connection and does not declare. */
interface BackendKey {
  readonly processID: number | null
  readonly secretKey: number | null
  readonly host: string
  readonly port: number
  readonly ssl: boolean | tls.ConnectionOptions
}

/**
 * Asks the server to end the statement that runs on `client`, over a second connection, and waits
 * until the server has taken the request. It names the backend process with its secret, so it needs
 * no login and no place in the pool. The caller sends nothing else on `client` meanwhile, so the
 * request cannot hit another statement. Resolves with false when the server could not be told.
 */
export async function sendCancelRequest(client: pg.PoolClient): Promise<boolean> {
  const key = client as unknown as BackendKey
  if (key.processID === null || key.secretKey === null) return false
  const socket = key.host.startsWith('/')
    ? net.connect(`${key.host}/.s.PGSQL.${String(key.port)}`)
    : net.connect(key.port, key.host)
  const signal = AbortSignal.timeout(LIMIT_MS)
  try {
    await once(socket, 'connect', { signal })
    const stream = key.ssl === false ? socket : await upgrade(socket, key, signal)
    const isTaken = once(stream, 'close', { signal })
    stream.resume()
    stream.write(makeMessage(CANCEL_CODE, key.processID, key.secretKey))
    await isTaken
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** The key is a secret, so it goes the way the connection itself went. */
async function upgrade(
  socket: net.Socket,
  { host, ssl }: BackendKey,
  signal: AbortSignal,
): Promise<tls.TLSSocket> {
  socket.write(makeMessage(SSL_CODE))
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer]
  if (answer.toString('latin1') !== 'S') throw new Error('no TLS')
  const options = typeof ssl === 'object' ? ssl : {}
  const servername = net.isIP(host) === 0 ? { servername: host } : {}
  const secure = tls.connect({ socket, host, ...servername, ...options })
  await once(secure, 'secureConnect', { signal })
  return secure
}

function makeMessage(...words: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + words.length * 4)
  message.writeInt32BE(message.length, 0)
  for (const [index, word] of words.entries()) message.writeInt32BE(word | 0, 4 + index * 4)
  return message
}
