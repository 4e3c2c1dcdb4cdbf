import { usageError } from './usage-error.ts'

/** The part of JSON Schema that decides how words of a command line are read. */
export interface FieldSchema {
  readonly type?: string
  readonly items?: FieldSchema
  readonly enum?: readonly unknown[]
  readonly description?: string
}

export interface ReadOptions {
  /** Take words of fields that hold any value as text, whatever they look like (`--text`). */
  readonly isText?: boolean
}

/** What was meant as an object, a list or a quoted text; taken as text it would be stored with its fault. */
const LOOKS_LIKE_JSON = /^\s*["[{]/

/**
 * Reads one word by the schema of its field. Text stays text; numbers, flags, lists and objects are
 * read as JSON; a field that takes any value takes JSON when the word is JSON, else the word. What does
 * not read is handed on as it is: the operation itself says what it expected.
 *
 * @throws HeddleError `INPUT_INVALID` for a word that starts like JSON and is none.
 */
export function parseValue(schema: FieldSchema, word: string, options: ReadOptions = {}): unknown {
  if (schema.type === 'string') return word
  if (schema.type === 'array') return parseList(schema, [word], options)
  const isAny = takesAnyValue(schema)
  return isAny && options.isText === true ? word : parseJson(word, isAny)
}

/**
 * Reads the words of a list: one word that is a JSON list is that list, else each word is an item.
 *
 * @throws HeddleError as {@link parseValue}.
 */
export function parseList(
  schema: FieldSchema,
  words: readonly string[],
  options: ReadOptions = {},
): unknown {
  const [first] = words
  const items = schema.items ?? {}
  const isText = options.isText === true && takesAnyValue(items)
  if (words.length === 1 && first !== undefined && !isText) {
    const whole = tryJson(first)
    if (Array.isArray(whole)) return whole
  }
  return words.map((word) => parseValue(items, word, options))
}

/** Whether a field holds any JSON value, so that a word may be meant as JSON or as text. */
export function takesAnyValue({ type, enum: values }: FieldSchema): boolean {
  return type === undefined && values === undefined
}

function parseJson(word: string, isAny: boolean): unknown {
  const value = tryJson(word)
  if (value !== undefined) return value
  if (!LOOKS_LIKE_JSON.test(word)) return word
  const hint = isAny ? '; correct it, or give --text to take it as text' : ''
  throw usageError(`A value starts like JSON and is none${hint}`)
}

function tryJson(word: string): unknown {
  try {
    return JSON.parse(word)
  } catch {
    return undefined
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
