import type { NewId, SourceId } from '../../core/ids.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { quoteOf, type SourceDescription } from '../../evidence/index.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { type ItemInput, putItems } from '../../items/index.ts'
import type { ParsedChunk, ParsedDocument } from './document.ts'
import { matchNothing, storeChunks } from './store-chunks.ts'

/** Chunks that are analysed at once, in this thread. */
const BATCH_SIZE = 20

/** A text that is no document, at the revision that was just written. */
export interface StoredText {
  readonly sourceId: SourceId
  readonly revision: number
  readonly description: SourceDescription
}

/** Writes the chunks of a new text and makes them recallable. Returns how many there are. */
export async function storeTextChunks(
  tx: Transaction,
  scope: ScopeRef,
  newId: NewId,
  source: StoredText,
  parsed: ParsedDocument,
): Promise<number> {
  const match = matchNothing(parsed.chunks, newId)
  await storeChunks(tx, scope, source, { parsed, match })
  const recalled = [...parsed.chunks.entries()].filter(([, { isRecalled }]) => isRecalled)
  for (let start = 0; start < recalled.length; start += BATCH_SIZE) {
    const batch = recalled.slice(start, start + BATCH_SIZE)
    const items = batch.map(([index, chunk]) =>
      toItem(source, parsed.text, chunk, match.ids[index] ?? ''),
    )
    await putItems(tx, scope, items)
  }
  return parsed.chunks.length
}

function toItem(
  { sourceId, revision, description }: StoredText,
  text: string,
  chunk: ParsedChunk,
  recordId: string,
): ItemInput {
  const { title, observedAt } = description
  return {
    kind: 'chunk',
    recordId,
    sourceId,
    revision,
    text: quoteOf(text, chunk.quote),
    tags: description.tags,
    ...(title !== undefined && { title }),
    ...(observedAt !== undefined && { observedAt }),
  }
}
