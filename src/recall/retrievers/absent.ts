import type { Retriever } from '../retriever.ts'

/** Stands for a retriever that this installation has nothing for, so that the reply says so. */
export function makeAbsentRetriever(name: string, whyNot: string): Retriever {
  return { name, run: () => Promise.resolve({ ran: false, whyNot, isDegraded: true }) }
}
