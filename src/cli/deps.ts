import type { Readable, Writable } from 'node:stream'

import type { HeddleConfig } from '../config/config.ts'
import type { SettingOverrides } from '../config/load-config.ts'
import type { Heddle } from '../memory/heddle.ts'

export interface CliOpenOptions {
  /** Apply missing migrations first; default false (the embedded engine always does). */
  readonly migrate?: boolean
  /** Take a server whatever its schema is; default false. */
  readonly anySchema?: boolean
  /** Sweep in the background; default true, pointless in a command that ends at once. */
  readonly maintenance?: boolean
  /** Do not wait for a server that refuses connections; default false. */
  readonly isImpatient?: boolean
}

/** A server that `heddle serve` started. */
interface CliServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

export interface DemoOptions {
  /** One JSON object as the last line instead of a report for people. */
  readonly isJson: boolean
  readonly isColoured: boolean
  readonly stdout: Writable
  readonly stderr: Writable
  readonly signal: AbortSignal
}

/** Which of the standard streams are terminals, and how wide standard output is in columns. */
interface Terminal {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly columns?: number
}

/** Everything that the command line works with; the composition root brings it, tests bring their own. */
export interface CliDeps {
  loadConfig(overrides: SettingOverrides): HeddleConfig
  openHeddle(config: HeddleConfig, options: CliOpenOptions): Promise<Heddle>
  /** Resolves when the server listens. It serves until it is closed. */
  serveHttp(heddle: Heddle, options: { readonly signal: AbortSignal }): Promise<CliServer>
  /** Resolves when the client is gone or the signal aborts. */
  serveStdio(heddle: Heddle, options: { readonly signal: AbortSignal }): Promise<void>
  /** Resolves with the exit code. */
  readonly runDemo: (options: DemoOptions) => Promise<number>
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborts when the user asks the program to stop. */
  readonly signal: AbortSignal
}
