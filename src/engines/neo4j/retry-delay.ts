const FIRST_MS = 50
const CAP_MS = 2_000

/**
 * Milliseconds to wait before repetition `attempt` (from 1): doubles from 50 ms to 2 s, spread over
 * half to all of that so that writers who met in a deadlock do not meet again. `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number): number {
  const full = Math.min(CAP_MS, FIRST_MS * 2 ** (attempt - 1))
  return Math.round(full / 2 + (full / 2) * random)
}
