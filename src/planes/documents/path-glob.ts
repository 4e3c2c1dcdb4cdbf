/** What stands for something else in a regular expression of the database. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g

/**
 * A pattern over paths as a regular expression of the database: `*` and `?` stand for anything but a
 * slash, `**` for anything, and `**` with a slash after it also for nothing.
 */
export function globToSqlRegExp(glob: string): string {
  const parts = glob.match(/\*\*\/|\*\*|\*|\?|[^*?]+/g) ?? []
  return `^${parts.map(toPattern).join('')}$`
}

function toPattern(part: string): string {
  if (part === '**/') return '(?:.*/)?'
  if (part === '**') return '.*'
  if (part === '*') return '[^/]*'
  if (part === '?') return '[^/]'
  return part.replace(SPECIAL, '\\$&')
}
