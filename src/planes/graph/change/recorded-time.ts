import { later, type Micros } from '../../../core/interval.ts'
import { type FactVersion, isCurrent } from '../fact-version.ts'
import { type Refusal } from './change.ts'
import { refuse } from './refuse.ts'

/**
 * The recorded time of a change by the server: its clock, but above what the subject last recorded
 * and above the scope's settled point, so that no recorded range is empty and no read that was
 * answered already would answer otherwise.
 */
export function nextRecordedTime(clock: Micros, passed: readonly Micros[]): Micros {
  return passed.reduce((time, point) => later(time, point + 1n), clock)
}

/** Refuses a caller's recorded time that has not come yet. */
export function checkGivenRecordedTime(given: Micros, clock: Micros): Refusal | undefined {
  return given > clock ? refuse('RECORDED_TIME_FUTURE') : undefined
}

/**
 * Refuses a recorded time before anything that is recorded, which would alter what was answered, and
 * one at which a version that is to be closed was added, whose recorded time would be empty.
 */
export function checkRecordedTime(
  recordedAt: Micros,
  history: readonly FactVersion[],
  closing: readonly FactVersion[],
): Refusal | undefined {
  const after = history.filter((version) => lastRecorded(version) > recordedAt)
  const empty = closing.filter(({ recorded }) => recorded.start === recordedAt)
  const versions = [...after, ...empty]
  return versions.length > 0 ? refuse('RECORDED_TIME_TOO_EARLY', versions) : undefined
}

function lastRecorded(version: FactVersion): Micros {
  return isCurrent(version) ? version.recorded.start : version.recorded.end
}
