import type { Credential } from '../identity/authenticate.ts'
import type { Heddle } from '../memory/heddle.ts'
import type { CallTracker, TrackedCall } from './call-tracker.ts'
import type { McpHttpHandler } from './mcp-handler.ts'
import type { HttpMetrics } from './metrics.ts'

/** What the routes work with. */
export interface RouteDeps {
  readonly heddle: Heddle
  /** `heddle.call`, counted. */
  readonly call: Heddle['call']
  readonly metrics: HttpMetrics
  readonly tracker: CallTracker
  readonly mcp?: McpHttpHandler
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request before anything else. */
    tracked: TrackedCall
    startedMs: number
    /** Set by {@link requireCredential}. */
    credential: Credential | undefined
  }
}
