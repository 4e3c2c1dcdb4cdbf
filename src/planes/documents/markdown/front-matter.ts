import { parseDocument as parseYaml, type YAMLError } from 'yaml'

import { HeddleError } from '../../../core/errors.ts'
import { findUnstorable } from '../../../core/text.ts'

export type FrontMatter = Readonly<Record<string, unknown>>

/** Lines before the YAML: the opening fence. */
const FENCE_LINES = 1

/**
 * Reads the YAML of a document's front matter. What is valid YAML but not a mapping is no front matter
 * (a text between two rules looks the same): undefined.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER` with line and column in the document.
 */
export function parseFrontMatter(yaml: string): FrontMatter | undefined {
  const document = parseYaml(yaml, { logLevel: 'silent', prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) throw toFrontMatterError(error)
  const value = toJson(document)
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMapping) return undefined
  const [issue] = findUnstorable(value)
  if (issue !== undefined) {
    throw new HeddleError('DOCUMENT_FRONT_MATTER', { message: `Front matter: ${issue.message}` })
  }
  return value as FrontMatter
}

function toJson(document: ReturnType<typeof parseYaml>): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    // By way of JSON, so that what is kept is what JSON can hold.
    return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown)
  } catch (cause) {
    throw new HeddleError('DOCUMENT_FRONT_MATTER', {
      message: 'The front matter refers to itself or expands too far',
      cause,
    })
  }
}

function toFrontMatterError(error: YAMLError): HeddleError {
  const [start] = error.linePos ?? []
  const line = (start?.line ?? 1) + FENCE_LINES
  const column = start?.col ?? 1
  // The library's own sentence quotes the text around the place; its code does not.
  return new HeddleError('DOCUMENT_FRONT_MATTER', {
    message: `The front matter does not parse at line ${line}, column ${column} (${error.code})`,
    details: { line, column, reason: error.code },
  })
}
