/** What may hold a semicolon that ends nothing: comments (left out) and quoted text (kept). */
const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<quoted>'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|`(?:``|[^`])*`)|(?<end>;)|(?<other>[\s\S])/g

/** Splits Cypher at `;`, without comments, empty statements and outer white space. */
export function splitStatements(text: string): string[] {
  const statements = ['']
  for (const { 0: token, groups } of text.matchAll(TOKEN)) {
    if (groups?.['end'] !== undefined) statements.push('')
    else
      statements.push(`${statements.pop() ?? ''}${groups?.['comment'] === undefined ? token : ' '}`)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
