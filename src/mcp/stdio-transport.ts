import type { Readable, Writable } from 'node:stream'

import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ErrorCode as ProtocolErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'

import { HeddleError, toWireError } from '../core/errors.ts'
import { type MessageLine, MessageLines } from './message-lines.ts'

export interface StdioTransportOptions {
  /** Longest message in bytes; a longer one is refused and the next one read. */
  readonly maxMessageBytes: number
}

/** Answers that belong to no request that could be read carry the id null, as JSON-RPC has it. */
type AnswerId = RequestId | null

/**
 * MCP over standard input and output, one JSON-RPC message a line. The one of the SDK joins its
 * buffer anew with every piece, which is quadratic, and closes when a line is too long; here a line
 * that cannot be taken is answered with an error and the next one is read.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>

  readonly #stdin: Readable
  readonly #stdout: Writable
  readonly #maxMessageBytes: number
  readonly #lines: MessageLines

  constructor(stdin: Readable, stdout: Writable, { maxMessageBytes }: StdioTransportOptions) {
    this.#stdin = stdin
    this.#stdout = stdout
    this.#maxMessageBytes = maxMessageBytes
    this.#lines = new MessageLines(maxMessageBytes)
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#lines.push(chunk)) this.#read(line)
  }

  readonly #onError = (error: Error): void => this.onerror?.(error)

  start(): Promise<void> {
    this.#stdin.on('data', this.#onData)
    this.#stdin.on('error', this.#onError)
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(serializeMessage(message))
  }

  close(): Promise<void> {
    this.#stdin.off('data', this.#onData)
    this.#stdin.off('error', this.#onError)
    // Other listeners may go on reading.
    if (this.#stdin.listenerCount('data') === 0) this.#stdin.pause()
    this.onclose?.()
    return Promise.resolve()
  }

  #read(line: MessageLine): void {
    if (line.kind === 'too-long') {
      this.#refuseTooLong(line)
      return
    }
    if (line.bytes.length === 0) return
    let value: unknown
    try {
      value = JSON.parse(line.bytes.toString('utf8'))
    } catch (error) {
      this.#refuse(error, null, ProtocolErrorCode.ParseError, 'The line is not JSON')
      return
    }
    const message = JSONRPCMessageSchema.safeParse(value)
    if (message.success) this.onmessage?.(message.data)
    else {
      const text = 'The line is not a JSON-RPC message'
      this.#refuse(message.error, requestIdOf(value), ProtocolErrorCode.InvalidRequest, text)
    }
  }

  #refuseTooLong({ head, tail }: { readonly head: Buffer; readonly tail: Buffer }): void {
    const error = new HeddleError('BODY_TOO_LARGE', {
      message: `The message is longer than ${this.#maxMessageBytes} bytes`,
      details: { limit_bytes: this.#maxMessageBytes },
    })
    const id = findRequestId(head.toString('utf8'), tail.toString('utf8'))
    const text = `${error.code}: ${error.message}`
    this.#refuse(error, id, ProtocolErrorCode.InvalidRequest, text, toWireError(error))
  }

  #refuse(cause: unknown, id: AnswerId, code: number, message: string, data?: unknown): void {
    this.onerror?.(cause instanceof Error ? cause : new Error('unreadable'))
    const error = { code, message, ...(data !== undefined && { data }) }
    void this.#write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stdout.write(line)) resolve()
      else this.#stdout.once('drain', resolve)
    })
  }
}

/** The id of what was meant as a request. */
function requestIdOf(value: unknown): AnswerId {
  if (typeof value !== 'object' || value === null || !('method' in value) || !('id' in value)) {
    return null
  }
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null
}

const ID = String.raw`"id"\s*:\s*(-?\d{1,16}|"[^"\\]{1,128}")\s*`
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"\s*`
/** Where clients put it: at the start of the message, or behind everything else. */
const ID_AT_START = new RegExp(String.raw`^\s*\{\s*${VERSION},\s*${ID},`)
const ID_AT_END = new RegExp(String.raw`,\s*${VERSION},\s*${ID}\}\s*$`)

/** The id of a request of which only start and end are known; null when it is in neither. */
function findRequestId(head: string, tail: string): AnswerId {
  const found = ID_AT_START.exec(head)?.[1] ?? ID_AT_END.exec(tail)?.[1]
  return found === undefined ? null : (JSON.parse(found) as RequestId)
}
