import type { Issue } from './errors.ts'

/** How deep arguments may nest; deeper ones are refused before anything recurses into them. */
export const MAX_JSON_DEPTH = 64

type Path = readonly (string | number)[]

/**
 * Looks through a JSON value for what storage cannot hold exactly: NUL, lone surrogates, numbers
 * that are not finite or are integers beyond 2^53 - 1, nesting beyond {@link MAX_JSON_DEPTH}.
 * Returns at most 20 issues.
 */
export function findUnstorable(value: unknown): Issue[] {
  const issues: Issue[] = []
  visit(value, [], issues)
  return issues
}

function visit(value: unknown, path: Path, issues: Issue[]): void {
  if (issues.length >= 20) return
  if (path.length > MAX_JSON_DEPTH) {
    issues.push({
      path,
      code: 'too_deep',
      message: `Nesting is limited to ${MAX_JSON_DEPTH} levels`,
    })
  } else if (typeof value === 'string') {
    const issue = textIssue(value)
    if (issue) issues.push({ path, ...issue })
  } else if (typeof value === 'number') {
    const issue = numberIssue(value)
    if (issue) issues.push({ path, ...issue })
  } else if (Array.isArray(value)) {
    value.forEach((child, index) => {
      visit(child, [...path, index], issues)
    })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      const issue = textIssue(key)
      if (issue) issues.push({ path, ...issue, message: `${issue.message} (in a field name)` })
      else visit(child, [...path, key], issues)
    }
  }
}

function textIssue(text: string): Omit<Issue, 'path'> | undefined {
  const nul = text.indexOf('\u0000')
  if (nul >= 0) return { code: 'text_nul', message: `Text must not contain NUL (at offset ${nul})` }
  if (!text.isWellFormed()) {
    return { code: 'text_lone_surrogate', message: 'Text must not contain a lone surrogate' }
  }
  return undefined
}

function numberIssue(value: number): Omit<Issue, 'path'> | undefined {
  if (!Number.isFinite(value))
    return { code: 'number_not_finite', message: 'Expected a finite number' }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return {
      code: 'number_not_exact',
      message: 'Integers beyond 9007199254740991 are not exact; send them as text',
    }
  }
  return undefined
}
