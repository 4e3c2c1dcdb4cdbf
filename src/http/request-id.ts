import { randomUUID } from 'node:crypto'

/** What a caller may choose as the id of its request: short, printable, safe in logs and headers. */
const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

export const REQUEST_ID_HEADER = 'x-request-id'

/** The id that the caller sent when it is a sane one, else a new one. */
export function chooseRequestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && SANE.test(sent) ? sent : randomUUID()
}
