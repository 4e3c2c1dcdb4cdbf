import type { z } from 'zod'

import { HeddleError, type Issue } from '../core/errors.ts'
import { findNearest } from '../core/nearest.ts'
import { findUnstorable } from '../core/text.ts'

/**
 * Reads a value by a strict schema.
 *
 * @throws HeddleError `INPUT_INVALID` with one issue per fault: path, rule and, for an unknown field,
 * the known one that is nearest.
 */
export function parseStrict<S extends z.ZodType>(
  schema: S,
  value: unknown,
  fields: readonly string[],
): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.flatMap((issue) => toIssues(issue, fields))
  // A misspelt field is also a missing one; its name explains both.
  throw invalid([...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))])
}

/** @throws HeddleError `INPUT_INVALID` for text, numbers and nesting that storage cannot hold exactly. */
export function refuseUnstorable(value: unknown): void {
  const issues = findUnstorable(value)
  if (issues.length > 0) throw invalid(issues)
}

function isUnknown(issue: Issue): boolean {
  return issue.code === 'unknown_field'
}

/** Issues in one reply; who sends more faults than that needs no list of them. */
const MAX_ISSUES = 20

function invalid(issues: readonly Issue[]): HeddleError {
  const [first] = issues
  const place = first && first.path.length > 0 ? `${first.path.join('.')}: ` : ''
  const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return new HeddleError('INPUT_INVALID', {
    issues: issues.slice(0, MAX_ISSUES),
    ...(issues.length > MAX_ISSUES && { details: { issues: issues.length } }),
    ...(first && { message: `${place}${first.message}${rest}` }),
  })
}

function toIssues(issue: z.core.$ZodIssue, fields: readonly string[]): Issue[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol')
  if (issue.code !== 'unrecognized_keys') {
    return [{ path, code: issue.code, message: issue.message }]
  }
  return issue.keys.map((key) => {
    const nearest = findNearest(key, fields)
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
    return { path: [...path, key], code: 'unknown_field', message: `Unknown field "${key}"${hint}` }
  })
}
