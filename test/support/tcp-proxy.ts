/**
 * A TCP proxy on loopback that tests put before a real server to break the line at a chosen moment.
 * It looks at bytes only, so it serves Bolt and the Postgres protocol alike.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface TcpProxyOptions {
  readonly host: string
  readonly port: number
  /** PEM texts: clients speak TLS to the proxy, which speaks plainly to the server. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/**
 * What to do with the first client message that contains some bytes: `drop-request` breaks the
 * connection before the server hears of it, `drop-answer` lets the server answer and breaks the
 * connection instead of passing the answer on.
 */
type Sabotage = 'drop-request' | 'drop-answer'

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** Client connections that are open now. */
  readonly connections: number
  /** Client connections since the start, refused ones not counted. */
  readonly accepted: number
  /** Breaks every open connection. */
  cut(): void
  /** Keeps connections open and passes nothing on, as a suspended server or a dead network would. */
  freeze(): void
  thaw(): void
  /** Stops listening, so that new connections are refused, and breaks the open ones. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
  /** Once: sabotages the next client message with these bytes; resolves when it has happened. */
  sabotage(bytes: Buffer, how: Sabotage): Promise<void>
  close(): Promise<void>
}

interface Trap {
  readonly bytes: Buffer
  readonly how: Sabotage
  readonly done: () => void
}

interface Line {
  readonly client: Socket
  readonly server: Socket
  /** Set once its request went through: the answer ends the connection. */
  answerTrap?: Trap
}

export async function startTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  const proxy = new LoopbackProxy(options)
  await proxy.start()
  return proxy
}

class LoopbackProxy implements TcpProxy {
  readonly #options: TcpProxyOptions
  readonly #lines = new Set<Line>()
  #listener: Server | undefined
  #trap: Trap | undefined
  #isFrozen = false
  port = 0
  accepted = 0

  constructor(options: TcpProxyOptions) {
    this.#options = options
  }

  get connections(): number {
    return this.#lines.size
  }

  async start(): Promise<void> {
    const onClient = (client: Socket): void => {
      this.#accept(client)
    }
    const { tls } = this.#options
    this.#listener = tls === undefined ? createServer(onClient) : createTlsServer(tls, onClient)
    this.#listener.on('tlsClientError', () => undefined)
    this.#listener.listen(this.port, '127.0.0.1')
    await once(this.#listener, 'listening')
    this.port = (this.#listener.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const listener = this.#listener
    this.#listener = undefined
    if (listener === undefined) return
    const closed = once(listener, 'close')
    listener.close()
    this.cut()
    await closed
  }

  cut(): void {
    for (const line of this.#lines) this.#end(line)
  }

  freeze(): void {
    this.#isFrozen = true
    for (const { client, server } of this.#lines) {
      client.pause()
      server.pause()
    }
  }

  thaw(): void {
    this.#isFrozen = false
    for (const { client, server } of this.#lines) {
      client.resume()
      server.resume()
    }
  }

  sabotage(bytes: Buffer, how: Sabotage): Promise<void> {
    return new Promise((resolve) => {
      this.#trap = { bytes, how, done: resolve }
    })
  }

  close(): Promise<void> {
    return this.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #accept(client: Socket): void {
    this.accepted += 1
    const { host, port } = this.#options
    const line: Line = { client, server: connect(port, host) }
    this.#lines.add(line)
    client.on('data', (bytes) => {
      this.#fromClient(line, bytes)
    })
    line.server.on('data', (bytes) => {
      this.#fromServer(line, bytes)
    })
    for (const socket of [client, line.server]) {
      socket.on('error', () => undefined) // always followed by close
      socket.on('close', () => {
        this.#end(line)
      })
    }
    if (this.#isFrozen) {
      client.pause()
      line.server.pause()
    }
  }

  #fromClient(line: Line, bytes: Buffer): void {
    const trap = this.#trap
    if (trap === undefined || !bytes.includes(trap.bytes)) {
      line.server.write(bytes)
      return
    }
    this.#trap = undefined
    if (trap.how === 'drop-request') {
      this.#spring(line, trap)
      return
    }
    line.answerTrap = trap
    line.server.write(bytes)
  }

  #fromServer(line: Line, bytes: Buffer): void {
    if (line.answerTrap !== undefined) this.#spring(line, line.answerTrap)
    else line.client.write(bytes)
  }

  #spring(line: Line, trap: Trap): void {
    this.#end(line)
    trap.done()
  }

  #end(line: Line): void {
    if (!this.#lines.delete(line)) return
    line.client.destroy()
    line.server.destroy()
  }
}
