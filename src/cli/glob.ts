/**
 * A pattern over `/`-separated paths as a regular expression: `*` and `?` stay inside a segment, `**`
 * crosses them, `{a,b}` is either. A pattern without `/` is matched against the last segment, as
 * people expect of `*.md`.
 */
export function globToRegExp(pattern: string): RegExp {
  const anchored = pattern.includes('/') ? pattern : `**/${pattern}`
  return new RegExp(`^${translate(anchored)}$`, 'u')
}

function translate(pattern: string): string {
  let depth = 0
  return (
    pattern.replaceAll(TOKENS, (token) => {
      switch (token) {
        case '**/':
          return '(?:.*/)?'
        case '**':
          return '.*'
        case '*':
          return '[^/]*'
        case '?':
          return '[^/]'
        case '{':
          depth += 1
          return '(?:'
        case '}':
          if (depth === 0) return '\\}'
          depth -= 1
          return ')'
        case ',':
          return depth > 0 ? '|' : ','
        default:
          return `\\${token}`
      }
    }) + ')'.repeat(depth)
  )
}

const TOKENS = /\*\*\/|\*\*|[*?{},]|[\\^$.+()|[\]/]/gu
