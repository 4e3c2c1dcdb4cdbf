import { z } from 'zod'

const MAX_LENGTH = 1024

/**
 * A document's path, or a folder of which everything below is meant; a slash at its end says that only
 * the folder is. Any other form names no document there can be, and would find nothing without a word.
 */
export const sourcePathSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_LENGTH)
  // As documents keep theirs.
  .normalize('NFC')
  .refine((path) => path === '/' || isDocumentPath(path), {
    error: 'Expected a path such as guides/setup.md or guides, without a slash at its beginning',
    params: { code: 'path_form' },
  })

function isDocumentPath(path: string): boolean {
  const parts = (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
  return !path.includes('\\') && parts.every((part) => !['', '.', '..'].includes(part))
}

/** As the filters take it: the path itself, and what lies below. */
export function expandPath(path: string): readonly string[] {
  return path.endsWith('/') ? [path] : [path, `${path}/`]
}
