import { recallOperation } from './operations/recall.ts'

/** The operations of recall. */
export const RECALL_OPERATIONS = [recallOperation] as const
