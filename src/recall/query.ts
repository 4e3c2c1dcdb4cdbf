import { tokenize } from '../items/index.ts'
import { STOP_WORDS } from './stop-words.ts'

/** Distinct words of a query that are looked for. */
export const MAX_QUERY_TERMS = 64

/** UTF-16 code units of a query that are looked at: far more than 64 words, and quick to take apart. */
const MAX_QUERY_LENGTH = 16 * 1024

/** A query as the retrievers get it. */
export interface RecallQuery {
  readonly text: string
  /** Distinct words in the form in which items hold them, in the order of the query. */
  readonly terms: readonly string[]
  /** True when the query was longer, or had more words than {@link MAX_QUERY_TERMS}. */
  readonly isTrimmed: boolean
}

/** Analyses a query like the text of an item. Function words are left out unless it has nothing else. */
export function analyseQuery(text: string): RecallQuery {
  const isCut = text.length > MAX_QUERY_LENGTH
  const tokens = tokenize(isCut ? text.slice(0, MAX_QUERY_LENGTH).toWellFormed() : text)
  const telling = tokens.filter(({ word }) => !STOP_WORDS.has(word))
  const terms = [...new Set((telling.length > 0 ? telling : tokens).map(({ term }) => term))]
  const isTrimmed = isCut || terms.length > MAX_QUERY_TERMS
  return { text, terms: terms.slice(0, MAX_QUERY_TERMS), isTrimmed }
}
