import { type Interval } from '../../../core/interval.ts'
import { type FactVersion, toVersionRef } from '../fact-version.ts'
import { type Refusal, type RefusalCode, type UndoObstacle } from './change.ts'

/** Checks give a refusal or undefined, so that `a(…) ?? b(…)` is the first thing that is wrong. */
export function refuse(
  code: RefusalCode,
  versions: readonly FactVersion[] = [],
  because?: UndoObstacle,
): Refusal {
  const refusal = { kind: 'refusal', code, versions: versions.map(toVersionRef) } as const
  return because === undefined ? refusal : { ...refusal, because }
}

export function checkRange({ start, end }: Interval): Refusal | undefined {
  if (end < start) return refuse('RANGE_REVERSED')
  if (end === start) return refuse('RANGE_EMPTY')
  return undefined
}
