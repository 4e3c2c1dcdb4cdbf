import { Argument, type Command, Option } from 'commander'

import { argsSchema } from '../memory/registry.ts'
import type { AnyOperation } from '../operation/definition.ts'
import {
  type FieldSchema,
  parseList,
  parseValue,
  type ReadOptions,
  takesAnyValue,
  valueName,
} from './argument-values.ts'
import { GLOBAL_NAMES } from './globals.ts'

interface ArgsSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
}

/** The words of a command line as an operation's `args`. */
export type ReadArgs = (
  words: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
) => Record<string, unknown>

/** Declares on `command` what `operation` takes, from its schema, and gives the function that reads it. */
export function addOperationArguments(command: Command, operation: AnyOperation): ReadArgs {
  const { properties = {}, required = [] } = argsSchema(operation) as ArgsSchema
  const positional = (operation.positional ?? []).filter((field) =>
    Object.hasOwn(properties, field),
  )
  for (const [index, field] of positional.entries()) {
    const isLast = index === positional.length - 1
    command.addArgument(
      toArgument(field, properties[field] ?? {}, required.includes(field), isLast),
    )
  }
  const readers = new Map<string, string>()
  for (const [field, schema] of Object.entries(properties)) {
    if (positional.includes(field)) continue
    const option = toOption(field, schema)
    if (required.includes(field)) option.makeOptionMandatory()
    command.addOption(option)
    readers.set(field, option.attributeName())
  }
  const hasText = Object.values(properties).some(
    (schema) =>
      takesAnyValue(schema) || (schema.items !== undefined && takesAnyValue(schema.items)),
  )
  if (hasText) command.addOption(new Option('--text', TEXT_DESCRIPTION))
  return (words, options) => {
    const args: Record<string, unknown> = {}
    const how: ReadOptions = { isText: hasText && options['text'] === true }
    for (const [index, field] of positional.entries()) {
      const word = words[index]
      if (word !== undefined && !(Array.isArray(word) && word.length === 0))
        args[field] = read(properties[field] ?? {}, word, how)
    }
    for (const [field, attribute] of readers) {
      const given = options[attribute]
      if (given !== undefined) args[field] = read(properties[field] ?? {}, given, how)
    }
    return args
  }
}

function toArgument(
  field: string,
  schema: FieldSchema,
  isRequired: boolean,
  isLast: boolean,
): Argument {
  const name = toKebab(field) + (schema.type === 'array' && isLast ? '...' : '')
  return new Argument(isRequired ? `<${name}>` : `[${name}]`, describe(schema))
}

/** A field whose name is taken by an option of every command gets the prefix `arg-`. */
function toOption(field: string, schema: FieldSchema): Option {
  const kebab = toKebab(field)
  const name = GLOBAL_NAMES.has(kebab) ? `arg-${kebab}` : kebab
  if (schema.type === 'boolean') return new Option(`--${name} [true|false]`, describe(schema))
  const option = new Option(`--${name} <${valueName(schema)}>`, describe(schema))
  if (schema.type !== 'array') return option
  return option.argParser((word: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    word,
  ])
}

function read(schema: FieldSchema, given: unknown, how: ReadOptions): unknown {
  if (given === true) return true
  if (Array.isArray(given)) return parseList(schema, given.map(String), how)
  return typeof given === 'string' ? parseValue(schema, given, how) : given
}

const TEXT_DESCRIPTION = 'take the value as text, also when it reads as JSON'

function describe(schema: FieldSchema): string {
  const { description = '', type } = schema
  const note = type === 'array' ? LIST_NOTE : takesAnyValue(schema) ? ANY_NOTE : ''
  return `${description}${note}`.trim()
}

const LIST_NOTE = ' (repeat it, or give one JSON list)'
const ANY_NOTE = ' (JSON when it is JSON: 3, true, null, {"a":1}, "3"; any other word is text)'

export function toKebab(name: string): string {
  return name.replaceAll('_', '-')
}
