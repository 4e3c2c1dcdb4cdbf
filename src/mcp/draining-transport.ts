import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'

/**
 * A transport that knows which requests still wait for their answer, so that a stopping server can
 * let them be answered first. A request that the client cancelled is not answered and not waited for.
 */
export class DrainingTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>

  readonly #inner: Transport
  readonly #pending = new Set<RequestId>()
  #onIdle: (() => void) | undefined

  constructor(inner: Transport) {
    this.#inner = inner
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onmessage = (message, extra) => {
      this.#note(message)
      this.onmessage?.(message, extra)
    }
    await this.#inner.start()
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    try {
      await this.#inner.send(message, options)
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message))
        this.#settle(message.id)
    }
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** Waits until every request has its answer, at most `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    if (this.#pending.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#pending.add(message.id)
    else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#settle(message.params?.['requestId'] as RequestId | undefined)
    }
  }

  #settle(id: RequestId | undefined): void {
    if (id === undefined || !this.#pending.delete(id)) return
    if (this.#pending.size === 0) this.#onIdle?.()
  }
}
