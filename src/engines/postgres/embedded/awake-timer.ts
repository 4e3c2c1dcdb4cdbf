const TICK_MS = 100
/** One tick counts for no more than this, however long the process was not running. */
const MAX_TICK_MS = 3 * TICK_MS

/**
 * Calls `onDue` after `ms` milliseconds in which this process was running: a host that was suspended
 * must not wake up and cut everybody for the time it slept itself. Returns how to stop it.
 */
export function startAwakeTimer(ms: number, onDue: () => void): () => void {
  let leftMs = ms
  let lastAt = performance.now()
  const tick = setInterval(
    () => {
      const now = performance.now()
      leftMs -= Math.min(now - lastAt, MAX_TICK_MS)
      lastAt = now
      if (leftMs > 0) return
      clearInterval(tick)
      // What arrived meanwhile is read before the verdict.
      pending = setImmediate(onDue)
    },
    Math.min(TICK_MS, ms),
  )
  let pending: NodeJS.Immediate | undefined
  return () => {
    clearInterval(tick)
    clearImmediate(pending)
  }
}
