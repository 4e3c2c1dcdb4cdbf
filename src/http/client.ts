import { type ErrorCode, ERRORS, HeddleError, type Issue } from '../core/errors.ts'
import type { RunRequest, StartedRun } from '../identity/runs.ts'
import type { ScopeKind } from '../identity/scope.ts'
import type { OperationArgs, OperationName, OperationResult } from '../memory/registry.ts'
import type { MemoryReply, MemorySuccess } from '../memory/reply.ts'

export interface HeddleClientOptions {
  /** Where `heddle serve` listens, such as `http://127.0.0.1:7077`; may have a path. */
  readonly baseUrl: string
  /** The token of a run, or an API key. */
  readonly token: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

export interface ClientCallOptions {
  readonly signal?: AbortSignal
}

export interface MemoryCallOptions extends ClientCallOptions {
  readonly scope?: ScopeKind
  /** Makes a write safe to repeat; the same as `args.idempotency_key`. */
  readonly idempotencyKey?: string
}

/** Heddle over HTTP, with the types of the operation registry. It keeps no connection of its own. */
export class HeddleClient {
  readonly #base: string
  readonly #token: string
  readonly #fetch: typeof fetch

  constructor({ baseUrl, token, fetch: given }: HeddleClientOptions) {
    this.#base = baseUrl.replace(/\/+$/, '')
    this.#token = token
    this.#fetch = given ?? fetch
  }

  /**
   * Calls one operation of the memory tool.
   *
   * @throws HeddleError with the server's code; `SERVER_UNREACHABLE` when no server answers,
   * `ENGINE_CONNECTION_LOST` when the answer did not arrive, `CANCELLED`.
   */
  async call<N extends OperationName>(
    op: N,
    args: OperationArgs<N>,
    { scope, idempotencyKey, signal }: MemoryCallOptions = {},
  ): Promise<MemorySuccess<OperationResult<N>>> {
    const keyed = idempotencyKey === undefined ? args : { ...args, idempotency_key: idempotencyKey }
    const body = { ...(scope !== undefined && { scope }), args: keyed }
    const reply = await this.#post(['v1', 'memory', op], body, signal)
    return reply as MemorySuccess<OperationResult<N>>
  }

  /** Calls the memory tool with a request as it is, and gives the reply as it is, a failure too. */
  async request(request: unknown, { signal }: ClientCallOptions = {}): Promise<MemoryReply> {
    const { body } = await this.#send(['v1', 'memory'], request, signal)
    return body as MemoryReply
  }

  /** Opens an agent run under a service key. */
  async startRun(request: RunRequest, { signal }: ClientCallOptions = {}): Promise<StartedRun> {
    return (await this.#post(['v1', 'runs'], request, signal)) as StartedRun
  }

  async endRun(runId: string, { signal }: ClientCallOptions = {}): Promise<void> {
    await this.#post(['v1', 'runs', runId, 'end'], undefined, signal)
  }

  async #post(path: readonly string[], body: unknown, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#send(path, body, signal)
    if (answer.isOk) return answer.body
    throw toError(answer.body, answer.status)
  }

  async #send(
    path: readonly string[],
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<{ isOk: boolean; status: number; body: unknown }> {
    const url = `${this.#base}/${path.map(encodeURIComponent).join('/')}`
    try {
      const response = await this.#fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
      return {
        isOk: response.ok,
        status: response.status,
        body: parseBody(await response.text(), response.status),
      }
    } catch (error) {
      throw toConnectionError(error, signal, this.#base)
    }
  }
}

function parseBody(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notHeddle(status)
  }
}

/** Some gateway answered, not Heddle. */
function notHeddle(status: number): HeddleError {
  return new HeddleError('ENGINE_UNAVAILABLE', {
    message: 'The answer did not come from Heddle',
    details: { status },
  })
}

function toConnectionError(
  error: unknown,
  signal: AbortSignal | undefined,
  base: string,
): HeddleError {
  if (error instanceof HeddleError) return error
  if (signal?.aborted === true) return new HeddleError('CANCELLED', { cause: error })
  // Without a connection nothing was sent; after that nobody knows what became of the call.
  return isRefused(error)
    ? new HeddleError('SERVER_UNREACHABLE', {
        message: `No Heddle server answers at ${URL.canParse(base) ? new URL(base).host : base}`,
        cause: error,
      })
    : new HeddleError('ENGINE_CONNECTION_LOST', { cause: error })
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
  ].includes(String(code))
}

interface WireFailure {
  readonly error?: {
    readonly code?: unknown
    readonly message?: unknown
    readonly issues?: readonly Issue[]
    readonly details?: Readonly<Record<string, unknown>>
  }
}

function toError(body: unknown, status: number): HeddleError {
  const { error } = (body ?? {}) as WireFailure
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return notHeddle(status)
  const { code, message, issues = [], details = {} } = error
  if (isErrorCode(code)) return new HeddleError(code, { message, issues, details })
  // A newer server may know more codes than this client.
  return new HeddleError('INTERNAL', { message, issues, details: { ...details, code } })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}
