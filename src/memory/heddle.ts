import type { HeddleConfig } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import type { Credential } from '../identity/authenticate.ts'
import type { Identity } from '../identity/identity.ts'
import type { RunRequest, StartedRun } from '../identity/runs.ts'
import type { MemoryReply } from './reply.ts'
import type { CallOptions } from './router.ts'

/** One thing that Heddle depends on, as readiness and `heddle doctor` report it. */
export interface ComponentHealth {
  readonly name: 'postgres' | 'neo4j'
  readonly ok: boolean
  /** False: Heddle serves without it and says `degraded`. */
  readonly required: boolean
  readonly details: Readonly<Record<string, string | number | boolean>>
}

/** An open Heddle: what the edges (HTTP, MCP, command line) and programs work with. */
export interface Heddle extends AsyncDisposable {
  readonly config: HeddleConfig
  readonly logger: Logger
  /** For administration (tenants, keys, migrations); memory itself is only reached through {@link call}. */
  readonly postgres: PostgresEngine

  /** Calls the `memory` tool; never throws. */
  call(identity: Identity, request: unknown, options: CallOptions): Promise<MemoryReply>

  /** @throws HeddleError `CREDENTIAL_INVALID`, `ENGINE_*`. */
  authenticate(token: string, options: CallOptions): Promise<Credential>

  /** @throws HeddleError see `identity/runs.ts`. */
  startRun(credential: Credential, request: RunRequest, options: CallOptions): Promise<StartedRun>
  endRun(credential: Credential, runId: string, options: CallOptions): Promise<void>

  /** The identity of this process by the operator's configuration; with a run of its own when `withRun`. The caller ends such a run with {@link endLocalRun}. */
  openLocalIdentity(options: CallOptions & { readonly withRun: boolean }): Promise<Identity>
  endLocalRun(identity: Identity, options: CallOptions): Promise<void>

  /** Asks every component; bounded by a few seconds; never throws. */
  health(options: CallOptions): Promise<readonly ComponentHealth[]>

  /** Ends what was opened, last first; calls in flight finish first. */
  close(): Promise<void>
}
