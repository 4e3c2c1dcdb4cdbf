import type { MemorySuccess } from '../../memory/reply.ts'
import type { Output } from '../output.ts'
import { toPrintable } from '../printable.ts'
import { renderHits } from './render-hits.ts'
import { isRecord, renderResult } from './render-result.ts'

/** A successful reply as people read it. */
export function renderReply({ result }: MemorySuccess, output: Output): string {
  return isRecord(result) && Array.isArray(result['hits'])
    ? renderHits(result, output)
    : renderResult(result, output)
}

/** One field of a result and nothing around it: text as it is, anything else as JSON. */
export function renderRaw(
  { result }: MemorySuccess,
  field: string,
  { isTerminal }: Output,
): string {
  const value = isRecord(result) ? result[field] : undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return isTerminal ? toPrintable(text) : text
}
