/** Bounds on what callers store and ask for; one frozen value from the configuration. */
export interface Limits {
  /** UTF-16 code units of a key/value key. */
  readonly kvKeyLength: number
  /** UTF-8 bytes of one value as JSON. */
  readonly kvValueBytes: number
  /** UTF-8 bytes of all live keys and values of one scope. */
  readonly kvScopeBytes: number
  /** Entries of one batch. */
  readonly kvBatchSize: number
  /** UTF-8 bytes of one document. */
  readonly documentBytes: number
  /** Turns of one `observe`. */
  readonly observeTurns: number
  /** UTF-8 bytes of one turn or text. */
  readonly turnBytes: number
  /** Records of one page. */
  readonly pageSize: number
  /** Hits of one recall. */
  readonly recallTopK: number
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  kvKeyLength: 512,
  kvValueBytes: 64 * 1024,
  kvScopeBytes: 64 * 1024 * 1024,
  kvBatchSize: 500,
  documentBytes: 8 * 1024 * 1024,
  observeTurns: 1000,
  turnBytes: 1024 * 1024,
  pageSize: 200,
  recallTopK: 100,
})
