/** A thread that finds the differences of texts, one pair after the other. */
import { parentPort } from 'node:worker_threads'

import { type DiffInput, type DiffLimits, diffTexts } from './unified-diff.ts'

export interface DiffThreadInput {
  readonly input: DiffInput
  readonly limits: DiffLimits
}

parentPort?.on('message', ({ input, limits }: DiffThreadInput) =>
  parentPort?.postMessage(diffTexts(input, limits)),
)
