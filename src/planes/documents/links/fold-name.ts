/** UTF-16 code units of a name that are kept; an index entry has room for that many in any script. */
const MAX_NAME_LENGTH = 512

/**
 * The form in which titles, aliases, last segments of paths and wiki links are compared: Unicode NFKC,
 * lower case, single spaces, without the ending of a Markdown file. Empty when nothing is left.
 */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/\.(?:md|markdown)$/u, '')
  return folded.slice(0, MAX_NAME_LENGTH).toWellFormed().trim()
}
