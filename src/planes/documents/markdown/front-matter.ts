import { LineCounter, parseDocument as parseYaml } from 'yaml'

import { refuseFrontMatter } from './front-matter-fault.ts'
import { readFields } from './front-matter-fields.ts'

export type FrontMatter = Readonly<Record<string, unknown>>

/**
 * Reads the YAML 1.2 of a document's front matter. What is valid YAML but not a mapping is no front
 * matter (a text between two rules looks the same): undefined.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER` with line and column in the document: what does not parse,
 * and what JSON cannot hold as it stands or only beyond the bounds of {@link readFields}.
 */
export function parseFrontMatter(yaml: string): FrontMatter | undefined {
  const lines = new LineCounter()
  const document = parseYaml(yaml, {
    // A quieter level would also keep quiet about a second document.
    logLevel: 'error',
    lineCounter: lines,
    schema: 'core',
    resolveKnownTags: false,
    // Compares every key with every other; the fields are checked on the way instead.
    uniqueKeys: false,
  })
  const [error] = document.errors
  // The library's own sentence quotes the text around the place; its code does not.
  if (error !== undefined) refuseFrontMatter(lines, error.pos[0], error.code, 'does not parse')
  return readFields(document, lines)
}
