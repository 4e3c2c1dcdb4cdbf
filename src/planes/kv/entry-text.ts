import { isJsonArray, isJsonObject, type JsonValue } from './json-value.ts'

/**
 * What recall can find of a value: a string as it is; of arrays and objects every string leaf on a
 * line of its own, after the names of the fields that lead to it. Undefined when there is no text.
 */
export function entryText(value: JsonValue): string | undefined {
  const lines: string[] = []
  collect(value, '', lines)
  return lines.length > 0 ? lines.join('\n') : undefined
}

function collect(value: JsonValue, place: string, lines: string[]): void {
  if (typeof value === 'string') {
    if (value.trim() !== '') lines.push(place === '' ? value : `${place}: ${value}`)
  } else if (isJsonArray(value)) {
    for (const item of value) collect(item, place, lines)
  } else if (isJsonObject(value)) {
    for (const [name, field] of Object.entries(value)) {
      collect(field, place === '' ? name : `${place}.${name}`, lines)
    }
  }
}
