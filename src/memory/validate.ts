import type { z } from 'zod'

import { HeddleError, type Issue } from '../core/errors.ts'
import { findNearest } from '../core/nearest.ts'
import { findUnstorable } from '../core/text.ts'
import { fieldsAt } from './fields-at.ts'

/**
 * Reads a value by a strict schema.
 *
 * @throws HeddleError `INPUT_INVALID` with one issue per fault: path, rule and, for an unknown field, the
 * nearest of those that may stand in its place.
 */
export function parseStrict<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.flatMap((issue) => toIssues(issue, schema))
  // A misspelt field is also a missing one; its name explains both.
  throw invalid([...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))])
}

/** @throws HeddleError `INPUT_INVALID` for text, numbers and nesting that storage cannot hold exactly. */
export function refuseUnstorable(value: unknown): void {
  const issues = findUnstorable(value)
  if (issues.length > 0) throw invalid(issues)
}

/**
 * Looks for fields of `args` that stand beside it: many models write them there.
 *
 * @throws HeddleError `INPUT_INVALID` that says where they go.
 */
export function refuseMisplaced(request: unknown, outer: z.ZodObject, args: z.ZodObject): void {
  const misplaced = Object.keys(request as object).filter(
    (key) => !Object.hasOwn(outer.shape, key) && Object.hasOwn(args.shape, key),
  )
  if (misplaced.length === 0) return
  throw invalid(
    misplaced.map((key) => ({
      path: [key],
      code: 'outside_args',
      message: `The field "${key}" goes into args: {"op": …, "args": {"${key}": …}}`,
    })),
  )
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

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodType): Issue[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol')
  if (issue.code !== 'unrecognized_keys') {
    return [{ path, code: ruleOf(issue), message: issue.message }]
  }
  const fields = fieldsAt(schema, path)
  return issue.keys.map((key) => {
    const nearest = findNearest(key, fields)
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
    return { path: [...path, key], code: 'unknown_field', message: `Unknown field "${key}"${hint}` }
  })
}

/** A check of our own names its rule in `params.code`. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'custom') return issue.code
  const rule: unknown = issue.params?.['code']
  return typeof rule === 'string' ? rule : issue.code
}
