export { readEnvelope, withoutNulls } from './rows.ts'
export { type NewSource, type Source, type SourceDescription } from './source.ts'
export {
  appendTextRevision,
  appendTurnRevision,
  countLiveSources,
  createSource,
  findRevision,
  findSource,
  findSourceByPath,
  holdsText,
  openSource,
  pageSources,
} from './sources.ts'
export { hashSpan, type HashedSpan, hashText, quoteOf, type Span, trimSpan } from './span.ts'
export { countTokens, DEFAULT_CHUNK_TOKENS } from './tokens.ts'
