export { addEvidence } from './cite.ts'
export {
  DEFAULT_CONTEXT_TOKENS,
  MAX_CONTEXT_TOKENS,
  readLeafSurroundings,
  readTurnSurroundings,
} from './context.ts'
export {
  type DeletedSource,
  deleteSource,
  eraseSource,
  findDeletedSource,
} from './delete-source.ts'
export { MAX_CONFIDENCE, STANCES } from './evidence.ts'
export { findEvidence } from './find-evidence.ts'
export { findQuote } from './find-quote.ts'
export { getPassage, listParts, type PassageName } from './passage.ts'
export { EVIDENCE_RECORD_SOURCE, readReceipt, RECEIPT_FINDER } from './record-sources.ts'
export { readEnvelope, SOURCE_COLUMNS, toSource, withoutNulls } from './rows.ts'
export { type Source, type SourceDescription } from './source.ts'
export {
  appendTextRevision,
  appendTurnRevision,
  countLiveSources,
  createSource,
  findRevision,
  findSource,
  findSourceByPath,
  openSource,
  pageSources,
} from './sources.ts'
export { hashSpan, type HashedSpan, hashText, quoteOf, type Span, trimSpan } from './span.ts'
export { lockSourceById } from './sql/deleted-source.ts'
export { insertForgetReceipt, selectForgetReceipt } from './sql/forget-receipt.ts'
export { eraseEvidence } from './sql/select-evidence.ts'
export { countTokens, DEFAULT_CHUNK_TOKENS } from './tokens.ts'
export { verifyAllTenants } from './verify-all-tenants.ts'
export { verifyEvidence, type VerifyProgress, type VerifyReport } from './verify-evidence.ts'
