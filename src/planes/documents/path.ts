import type { Issue } from '../../core/errors.ts'

/** UTF-16 code units. */
const MAX_PATH_LENGTH = 1024

/** UTF-8, which an index holds together with three ids; a row of an index ends at 2,704 bytes. */
const MAX_PATH_BYTES = 2048

const CONTROL = /\p{Cc}/u

/**
 * Checks and canonicalises the path of a document: segments joined by `/`, relative, in Unicode form
 * NFC, so that the same file name from any system is the same document. Returns the path or what is
 * wrong with it.
 */
export function parseDocumentPath(given: string): string | Omit<Issue, 'path'> {
  const path = given.normalize('NFC')
  if (path === '' || path.length > MAX_PATH_LENGTH) {
    return { code: 'path_length', message: `A path has 1 to ${MAX_PATH_LENGTH} characters` }
  }
  if (Buffer.byteLength(path, 'utf8') > MAX_PATH_BYTES) {
    return { code: 'path_length', message: `A path has at most ${MAX_PATH_BYTES} bytes as UTF-8` }
  }
  if (CONTROL.test(path)) {
    return { code: 'path_control', message: 'A path must not contain control characters' }
  }
  if (path.includes('\\')) {
    return { code: 'path_separator', message: 'Segments of a path are separated by /' }
  }
  const bad = path
    .split('/')
    .some((segment) => segment === '' || segment === '.' || segment === '..')
  if (bad || path !== path.trim()) {
    return {
      code: 'path_segment',
      message: 'A path is relative, such as guides/setup.md, without empty, "." or ".." segments',
    }
  }
  return path
}
