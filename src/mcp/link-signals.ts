export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Stops listening; call it when the work is done, or a long-lived source keeps every link. */
  unlink(): void
}

/** A signal that aborts when any of the sources does. */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const present = sources.filter((source) => source !== undefined)
  for (const source of present) {
    if (source.aborted) abort()
    else source.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    unlink: () => present.forEach((source) => source.removeEventListener('abort', abort)),
  }
}
