/** Names of chunks that a document may give through a directive, beside those that Markdown itself tells. */
export interface ChunkTypes {
  isKnown(name: string): boolean
}

/** Known without any ontology. */
const BUILT_IN_CHUNK_TYPES: readonly string[] = [
  'assumption',
  'caution',
  'danger',
  'decision',
  'definition',
  'example',
  'fact',
  'goal',
  'idea',
  'important',
  'info',
  'note',
  'principle',
  'question',
  'requirement',
  'risk',
  'rule',
  'summary',
  'task',
  'tip',
  'warning',
]

/** The built-in types and those named. */
export function makeChunkTypes(names: Iterable<string> = []): ChunkTypes {
  const known = new Set([...BUILT_IN_CHUNK_TYPES, ...names])
  return { isKnown: (name) => known.has(name) }
}
