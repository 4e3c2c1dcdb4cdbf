import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Scalar,
  type YAMLMap,
} from 'yaml'

import { findUnstorable } from '../../../core/text.ts'
import { refuseFrontMatter } from './front-matter-fault.ts'

/** UTF-8 bytes of all fields as JSON, with aliases written out. */
const MAX_FIELDS_BYTES = 64 * 1024

/** Levels of fields, the mapping itself included. */
const MAX_DEPTH = 32

/** What an anchor stands for, once its node has been read. */
interface Anchored {
  readonly value: unknown
  readonly bytes: number
  readonly height: number
}

/**
 * Takes the fields out of parsed YAML. Keys are taken as they are written (`2026: x` is the field `2026`).
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER` for fields of more than 64 KiB or 32 levels, a key twice or
 * that is no text, `__proto__`, unknown tags, aliases of nothing or of themselves, numbers and text that
 * cannot be stored.
 */
export function readFields(
  document: Document.Parsed,
  lines: LineCounter,
): Readonly<Record<string, unknown>> | undefined {
  if (!isMap(document.contents)) return undefined
  const [warning] = document.warnings
  if (warning !== undefined) {
    refuseFrontMatter(lines, warning.pos[0], warning.code, 'has a tag that is not known')
  }
  const { value } = new FieldsReader(lines).read(document.contents, 1)
  return value as Readonly<Record<string, unknown>>
}

/**
 * Reads each node once. An alias shares the value of its anchor and counts with its size, so that a text
 * which would expand a thousandfold is refused without being expanded.
 */
class FieldsReader {
  readonly #lines: LineCounter
  readonly #anchors = new Map<string, Anchored | 'open'>()

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  read(node: unknown, level: number): Anchored {
    const offset = offsetOf(node)
    if (isAlias(node)) return this.#alias(node.source, offset, level)
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
    if (anchor !== undefined) this.#anchors.set(anchor, 'open')
    const read = this.#within(this.#content(node, offset, level), offset, level)
    if (anchor !== undefined) this.#anchors.set(anchor, read)
    return read
  }

  #content(node: unknown, offset: number, level: number): Anchored {
    if (isMap(node)) return this.#map(node, offset, level)
    if (isSeq(node)) return this.#list(node.items, offset, level)
    return this.#scalar(isScalar(node) ? node.value : null, offset)
  }

  #alias(name: string, offset: number, level: number): Anchored {
    const anchored = this.#anchors.get(name)
    if (anchored === undefined)
      this.#refuse(offset, 'ALIAS_UNKNOWN', 'has an alias without an anchor before it')
    if (anchored === 'open') this.#refuse(offset, 'ALIAS_CIRCULAR', 'refers to itself')
    return this.#within(anchored, offset, level)
  }

  #map(map: YAMLMap, offset: number, level: number): Anchored {
    const fields = new Map<string, unknown>()
    let bytes = 1
    let height = 1
    for (const { key, value } of map.items) {
      const name = this.#key(key, offset)
      if (fields.has(name)) this.#refuse(offsetOf(key, offset), 'DUPLICATE_KEY', 'has a key twice')
      const read = this.read(value, level + 1)
      fields.set(name, read.value)
      bytes = this.#add(bytes, jsonBytes(name) + read.bytes + 2, offsetOf(key, offset))
      height = Math.max(height, read.height + 1)
    }
    // Defines every field, whatever its name, where an assignment could reach a setter.
    return { value: Object.fromEntries(fields), bytes: Math.max(bytes, 2), height }
  }

  #list(items: readonly unknown[], offset: number, level: number): Anchored {
    const values: unknown[] = []
    let bytes = 1
    let height = 1
    for (const item of items) {
      const read = this.read(item, level + 1)
      values.push(read.value)
      bytes = this.#add(bytes, read.bytes + 1, offsetOf(item, offset))
      height = Math.max(height, read.height + 1)
    }
    return { value: values, bytes: Math.max(bytes, 2), height }
  }

  #scalar(value: unknown, offset: number): Anchored {
    const [issue] = findUnstorable(value)
    if (issue !== undefined)
      this.#refuse(offset, issue.code.toUpperCase(), 'has a value that cannot be stored')
    return { value, bytes: jsonBytes(value), height: 0 }
  }

  #key(key: unknown, mapOffset: number): string {
    const offset = offsetOf(key, mapOffset)
    const name = isScalar(key) ? keyText(key) : undefined
    if (name === undefined) this.#refuse(offset, 'KEY_NOT_TEXT', 'has a key that is no text')
    if (name === '__proto__') this.#refuse(offset, 'KEY_RESERVED', 'has a key that is reserved')
    const { anchor } = key as Scalar
    const read = this.#scalar(name, offset)
    if (anchor !== undefined) this.#anchors.set(anchor, read)
    return name
  }

  #add(bytes: number, more: number, offset: number): number {
    const sum = bytes + more
    // One comma too many counts for the closing bracket.
    if (sum > MAX_FIELDS_BYTES) this.#tooLarge(offset)
    return sum
  }

  #within(read: Anchored, offset: number, level: number): Anchored {
    if (read.bytes > MAX_FIELDS_BYTES) this.#tooLarge(offset)
    if (level - 1 + read.height > MAX_DEPTH)
      this.#refuse(offset, 'TOO_DEEP', `nests more than ${MAX_DEPTH} levels`)
    return read
  }

  #tooLarge(offset: number): never {
    this.#refuse(offset, 'FIELDS_TOO_LARGE', `has fields of more than ${MAX_FIELDS_BYTES} bytes`)
  }

  #refuse(offset: number, reason: string, fault: string): never {
    refuseFrontMatter(this.#lines, offset, reason, fault)
  }
}

/** Keys are names: `1.0` and `yes` stay what they look like. An empty one is none. */
function keyText({ value, source }: Scalar): string | undefined {
  const text = typeof value === 'string' ? value : source
  return text === undefined || text === '' ? undefined : text
}

function offsetOf(node: unknown, fallback = 0): number {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : null
  return range?.[0] ?? fallback
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
