import { z } from 'zod'

import type { Receipt } from '../../operation/definition.ts'
import { isJsonArray, type JsonValue, parseJson } from './json-value.ts'
import { toWrittenReceipt, type Written, writtenToWire } from './written.ts'

/** The answer of a list reducer but for its count. */
export function listToWire(written: Written) {
  const value = parseJson(written.text)
  return { ...writtenToWire(written), value, length: lengthOf(value) }
}

export function lengthOf(value: JsonValue): number {
  return isJsonArray(value) ? value.length : 0
}

/** How many were added or dropped is not in the history, so the receipt keeps it. */
export function toListReceipt(output: Parameters<typeof toWrittenReceipt>[0], count: number) {
  return { ...toWrittenReceipt(output), count }
}

export function countFrom(receipt: Receipt): number {
  return z.object({ count: z.int() }).parse(receipt).count
}
