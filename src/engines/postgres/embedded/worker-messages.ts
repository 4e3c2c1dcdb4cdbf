/** What the host's main thread asks of the database thread: one message at a time. */
export type WorkerRequest =
  { readonly kind: 'run'; readonly bytes: Uint8Array } | { readonly kind: 'close' }

/** What the database thread answers; `output` may come several times before `done`. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'closed' }

export interface WorkerInput {
  /** The folder of the database itself. */
  readonly databaseDir: string
}
