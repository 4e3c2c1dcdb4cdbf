import type { ParsedLink } from '../document.ts'
import { foldName } from './fold-name.ts'

/** A scheme (`https:`, `mailto:`), or a host without one. */
const OUTSIDE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/iu

const CONTROL = /\p{Cc}/u

/** UTF-8 bytes; a longer one cannot be the path of a document. */
const MAX_TARGET_BYTES = 2048

type Link = Pick<ParsedLink, 'kind' | 'target'>

/** True for a URL: it leads out of the memory. */
export function isOutside({ kind, target }: Link): boolean {
  return kind !== 'wiki' && OUTSIDE.test(target)
}

/**
 * The name under which the target of a link is looked for: of a link or image the path it leads to from
 * the document it stands in, of a wiki link the folded name. Undefined for a URL, for a place in the same
 * document, and for what leads out of the root.
 */
export function targetNameOf(documentPath: string, link: Link): string | undefined {
  if (link.target.trim() === '' || isOutside(link)) return undefined
  if (link.kind !== 'wiki') return resolvePath(documentPath, decodeTarget(link.target))
  const isRelative = /^\.{0,2}\//u.test(link.target)
  const name = isRelative ? resolvePath(documentPath, link.target) : link.target
  const folded = name === undefined ? '' : foldName(name)
  return folded === '' || CONTROL.test(folded) ? undefined : folded
}

/** Percent-decoded, without a query; as it is when it is not well encoded, such as `100%.md`. */
function decodeTarget(target: string): string {
  const [path = ''] = target.split('?', 1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Follows `./`, `../` and a leading `/` (the root) from the folder of a document. */
function resolvePath(documentPath: string, target: string): string | undefined {
  const given = target.replaceAll('\\', '/')
  if (given.trim() === '') return undefined
  const segments = given.startsWith('/') ? [] : documentPath.split('/').slice(0, -1)
  for (const segment of given.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  const path = segments.join('/').normalize('NFC')
  const isPath = path !== '' && !CONTROL.test(path) && Buffer.byteLength(path) <= MAX_TARGET_BYTES
  return isPath ? path : undefined
}
