/** The part of JSON Schema that decides how words of a command line are read. */
export interface FieldSchema {
  readonly type?: string
  readonly items?: FieldSchema
  readonly enum?: readonly unknown[]
  readonly description?: string
}

/**
 * Reads one word by the schema of its field. Text stays text; numbers, flags, lists and objects are
 * read as JSON; a field that takes any value takes JSON when the word is JSON, else the word. What does
 * not read is handed on as it is: the operation itself says what it expected.
 */
export function parseValue(schema: FieldSchema, word: string): unknown {
  if (schema.type === 'string') return word
  return schema.type === 'array' ? parseList(schema, [word]) : parseJson(word)
}

/** Reads the words of a list: one word that is a JSON list is that list, else each word is an item. */
export function parseList(schema: FieldSchema, words: readonly string[]): unknown {
  const [first] = words
  if (words.length === 1 && first !== undefined) {
    const whole = parseJson(first)
    if (Array.isArray(whole)) return whole
  }
  return words.map((word) => parseValue(schema.items ?? {}, word))
}

function parseJson(word: string): unknown {
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}

const VALUE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'true|false',
  array: 'item',
}

/** How help names the value. */
export function valueName(schema: FieldSchema): string {
  return schema.enum?.join('|') ?? VALUE_NAMES[schema.type ?? ''] ?? 'json'
}
