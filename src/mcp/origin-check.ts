import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

export interface OriginRules {
  /** Origins of web pages that may call, such as `https://console.example`; those of this machine always may. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Whether a request may be served as far as browsers are concerned: programs send no `Origin`, and a
 * page of another site must not reach a server on the user's machine, whatever name it gave to it
 * (DNS rebinding).
 */
export function isOriginAllowed(
  headers: IncomingHttpHeaders,
  { allowedOrigins }: OriginRules,
): boolean {
  const { origin } = headers
  if (origin === undefined || allowedOrigins.includes(origin)) return true
  return URL.canParse(origin) && LOOPBACK_NAMES.has(new URL(origin).hostname)
}
