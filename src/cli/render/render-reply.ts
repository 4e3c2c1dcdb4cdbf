import type { MemorySuccess } from '../../memory/reply.ts'
import type { Output } from '../output.ts'
import { renderHits } from './render-hits.ts'
import { isRecord, renderResult } from './render-result.ts'

/** A successful reply as people read it. */
export function renderReply({ result }: MemorySuccess, output: Output): string {
  return isRecord(result) && Array.isArray(result['hits'])
    ? renderHits(result, output)
    : renderResult(result, output)
}
