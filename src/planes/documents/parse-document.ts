import type { ParsedDocument } from './document.ts'
import type { ParseOptions } from './parse-markdown-document.ts'
import { ParsePool } from './parse-pool.ts'
import type { PlannedText, PlanTask } from './plan-text.ts'

const pool = new ParsePool()

/**
 * Takes a Markdown text apart without keeping this thread from serving: no look at a text tells how long
 * its parsing takes. Runs outside of any transaction.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `DOCUMENT_TOO_COMPLEX`, `CANCELLED`.
 */
export async function parseDocument(
  text: string,
  signal: AbortSignal,
  options: ParseOptions = {},
): Promise<ParsedDocument> {
  const { parsed } = await pool.run({ text, options }, { signal })
  return parsed
}

/** The same, with what a revision of it takes. `tenant` is whose turn it is when several wait. */
export async function planInThread(
  task: PlanTask,
  signal: AbortSignal,
  tenant: string,
): Promise<PlannedText> {
  return pool.plan(task, { signal, tenant })
}
