import type { Socket } from 'node:net'

import { MessageReader } from './message-reader.ts'
import {
  CANCEL_CODE,
  GSS_CODE,
  isRunnable,
  makeFatalError,
  makeWelcome,
  PROTOCOL_3,
  readStartup,
  SSL_CODE,
  TERMINATE,
} from './protocol.ts'

/** What a connection asks of the gate. */
export interface GateConnectionEvents {
  /** Decides on a client that introduced itself; undefined lets it in. */
  admit(user: string): { readonly sqlstate: string; readonly message: string } | undefined
  /** Something the database can work on has come. */
  onRunnable(connection: GateConnection): void
  onClosed(connection: GateConnection): void
}

/** One client of the host: reads its messages, keeps them until its turn, writes its answers. */
export class GateConnection {
  readonly #socket: Socket
  readonly #events: GateConnectionEvents
  readonly #reader = new MessageReader()
  readonly #id: number
  #isReady = false
  #isClosed = false
  #inbox: Buffer[] = []
  #runnableCount = 0
  #receivedBytes = 0

  constructor(socket: Socket, id: number, events: GateConnectionEvents) {
    this.#socket = socket
    this.#id = id
    this.#events = events
    socket.on('data', (piece) => this.#onData(piece))
    // Every error is followed by 'close'.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#onClose())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Grows while a message is arriving that is not whole yet. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  get hasRunnable(): boolean {
    return this.#runnableCount > 0
  }

  /** Takes all whole messages up to the last that the database can work on. */
  take(): Buffer[] {
    const last = this.#inbox.findLastIndex(isRunnable)
    const taken = this.#inbox.slice(0, last + 1)
    this.#inbox = this.#inbox.slice(last + 1)
    this.#runnableCount = 0
    return taken
  }

  write(bytes: Buffer): void {
    if (!this.#isClosed) this.#socket.write(bytes)
  }

  /** Tells the client why and ends the connection. */
  fail(sqlstate: string, message: string): void {
    if (this.#isClosed) return
    this.#socket.end(makeFatalError(sqlstate, message))
    // The other side may be suspended and never take it.
    this.#socket.destroySoon()
    this.#onClose()
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#socket.destroy()
    this.#onClose()
  }

  #onData(piece: Buffer): void {
    if (this.#isClosed) return
    this.#receivedBytes += piece.length
    this.#reader.push(piece)
    try {
      for (;;) {
        const message = this.#reader.next()
        if (message === undefined || this.isClosed) break
        if (this.#isReady) this.#onMessage(message)
        else this.#onStartup(message)
      }
    } catch {
      this.fail('08P01', 'A message has an impossible length.')
      return
    }
    if (this.hasRunnable) this.#events.onRunnable(this)
  }

  #onMessage(message: Buffer): void {
    if (message[0] === TERMINATE) {
      this.cut()
      return
    }
    this.#inbox.push(message)
    if (isRunnable(message)) this.#runnableCount += 1
  }

  #onStartup(message: Buffer): void {
    const { code, parameters } = readStartup(message)
    if (code === SSL_CODE || code === GSS_CODE) {
      this.write(Buffer.from('N'))
      return
    }
    if (code === CANCEL_CODE) {
      this.cut()
      return
    }
    if (code !== PROTOCOL_3) {
      this.fail('0A000', 'Only protocol 3.0 is spoken here.')
      return
    }
    const refusal = this.#events.admit(parameters.get('user') ?? '')
    if (refusal !== undefined) {
      this.fail(refusal.sqlstate, refusal.message)
      return
    }
    this.#isReady = true
    this.#reader.expectTypes()
    this.write(makeWelcome(this.#id))
  }

  #onClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#events.onClosed(this)
  }
}
