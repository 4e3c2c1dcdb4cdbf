import type { Writable } from 'node:stream'

import { Presets, SingleBar } from 'cli-progress'

export interface Progress {
  step(): void
  stop(): void
}

const NO_PROGRESS: Progress = { step: () => undefined, stop: () => undefined }

/** A bar on standard error for work of `total` steps; nothing when `isShown` is false. */
export function startProgress(
  total: number,
  what: string,
  stderr: Writable,
  isShown: boolean,
): Progress {
  if (!isShown || total === 0) return NO_PROGRESS
  const bar = new SingleBar(
    {
      stream: stderr,
      format: `${what} {bar} {value}/{total} {eta_formatted}`,
      clearOnComplete: true,
      hideCursor: true,
      gracefulExit: false,
    },
    Presets.shades_classic,
  )
  bar.start(total, 0)
  return {
    step: () => bar.increment(),
    stop: () => bar.stop(),
  }
}
