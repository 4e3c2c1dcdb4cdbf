import { HeddleError } from '../../../core/errors.ts'

/** Levels of the syntax tree: a nested list takes two of them. */
export const MAX_DEPTH = 200
/** Sections and leaves of one document. */
export const MAX_CHUNKS = 50_000
/** Links of one document. */
export const MAX_LINKS = 50_000
/** Of one heading in a heading path; every chunk below carries it. UTF-16 code units. */
export const MAX_HEADING_LENGTH = 512

/** @throws HeddleError `DOCUMENT_TOO_COMPLEX` that names the limit. */
export function assertWithin(limit: 'depth' | 'chunks' | 'links', count: number): void {
  const max = { depth: MAX_DEPTH, chunks: MAX_CHUNKS, links: MAX_LINKS }[limit]
  if (count <= max) return
  const what =
    limit === 'depth' ? `nests deeper than ${max} levels` : `has more than ${max} ${limit}`
  throw new HeddleError('DOCUMENT_TOO_COMPLEX', {
    message: `The document ${what}`,
    details: { limit, max },
  })
}

/** The beginning of a text, never ending inside a surrogate pair. */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text
  const isPairCut = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return text.slice(0, isPairCut ? length - 1 : length)
}
