import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import type { MemoryReply } from '../memory/reply.ts'

/** From a cache-warm read to the longest statement, in seconds. */
const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

interface ServedRequest {
  /** The route's pattern, never the URL: that would be a label per id. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/** What `/metrics` shows: counts and durations by route and by operation; no names of tenants, users or records. */
export interface HttpMetrics {
  observeRequest(served: ServedRequest): void
  observeCall(reply: MemoryReply, seconds: number): void
  readonly contentType: string
  render(): Promise<string>
}

/** @param inFlight asked at each scrape for the number of requests being served */
export function makeHttpMetrics(inFlight: () => number): HttpMetrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  const requests = new Counter({
    name: 'heddle_http_requests_total',
    help: 'HTTP requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'heddle_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response',
    labelNames: ['route', 'method'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  const calls = new Counter({
    name: 'heddle_operation_calls_total',
    help: 'Calls of the memory tool by operation and error code (ok when it went well)',
    labelNames: ['op', 'code'],
    registers,
  })
  const callDurations = new Histogram({
    name: 'heddle_operation_duration_seconds',
    help: 'Time of a call of the memory tool',
    labelNames: ['op'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  new Gauge({
    name: 'heddle_http_requests_in_flight',
    help: 'HTTP requests being served',
    registers,
    collect() {
      this.set(inFlight())
    },
  })
  return {
    observeRequest({ route, method, status, seconds }) {
      requests.inc({ route, method, status: String(status) })
      durations.observe({ route, method }, seconds)
    },
    observeCall(reply, seconds) {
      // Only a name from the registry comes back in a reply, so callers cannot make labels.
      const op = reply.op ?? 'unknown'
      calls.inc({ op, code: reply.ok ? 'ok' : reply.error.code })
      callDurations.observe({ op }, seconds)
    },
    contentType: register.contentType,
    render: () => register.metrics(),
  }
}
