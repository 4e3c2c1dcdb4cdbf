import type { LineCounter } from 'yaml'

import { HeddleError } from '../../../core/errors.ts'

/** Lines before the YAML: the opening fence. */
const FENCE_LINES = 1

/**
 * Refuses front matter for what stands at an offset of its YAML.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER` with line and column in the document, both from 1.
 */
export function refuseFrontMatter(
  lines: LineCounter,
  offset: number,
  reason: string,
  fault: string,
): never {
  const { line: yamlLine, col } = lines.linePos(offset)
  const line = Math.max(yamlLine, 1) + FENCE_LINES
  const column = Math.max(col, 1)
  const message = `The front matter ${fault} at line ${line}, column ${column} (${reason})`
  throw new HeddleError('DOCUMENT_FRONT_MATTER', {
    message,
    issues: [{ path: ['content'], code: reason.toLowerCase(), message }],
    details: { line, column, reason },
  })
}
