import { HeddleError } from '../../core/errors.ts'
import type { WriteCall } from '../../operation/call.ts'
import type { Change, Outcome } from './change.ts'
import { assertKeyLength } from './key.ts'
import { samePlace } from './plan.ts'
import { writeChanges } from './write-changes.ts'

/** Applies one change to the target of a call and turns what it did into the call's answer. */
export function writeOne<Input, Output>(
  call: WriteCall<Input, Output>,
  change: Change,
  toOutput: (outcome: Outcome) => Output,
): Promise<Output> {
  assertKeyLength(change.key, call.limits.kvKeyLength)
  return call.write(async (tx) => {
    const { limits, newId, target } = call
    const context = { limits, newId, placeError: samePlace }
    const [outcome] = await writeChanges(tx, target, [change], context)
    if (outcome === undefined) throw new HeddleError('INTERNAL')
    return toOutput(outcome)
  })
}
