/** A turn as an export writes it. */
export interface ExportedTurn {
  /** In the conversation, from 1. */
  readonly position: number
  readonly role: string
  readonly speaker?: string
  readonly content: string
  readonly observedAt?: string
  /** Tool call or result, as JSON text; only when it was asked for. */
  readonly tool?: string
}

/**
 * Writes turns as text: for each a line `[position] speaker (role) time`, its words as they are, its tool
 * traffic as a line of JSON, and an empty line. For reading; what must be exact is {@link toJsonLines}.
 */
export function toText(turns: readonly ExportedTurn[]): string {
  return turns
    .map(({ position, role, speaker, content, observedAt, tool }) => {
      const who = speaker === undefined ? oneLine(role) : `${oneLine(speaker)} (${oneLine(role)})`
      const head = [`[${position}]`, who, ...(observedAt === undefined ? [] : [observedAt])].join(
        ' ',
      )
      const parts = [
        head,
        ...(content === '' ? [] : [content]),
        ...(tool === undefined ? [] : [tool]),
      ]
      return `${parts.join('\n')}\n\n`
    })
    .join('')
}

/** Writes turns as JSON, one to a line. */
export function toJsonLines(turns: readonly ExportedTurn[]): string {
  return turns
    .map(({ position, role, speaker, content, observedAt, tool }) => {
      const known = { position, role, speaker, content, observed_at: observedAt }
      const head = JSON.stringify(known)
      // The tool's JSON is put in as it is stored: reading it would round its numbers.
      return tool === undefined ? `${head}\n` : `${head.slice(0, -1)},"tool":${onOneLine(tool)}}\n`
    })
    .join('')
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ')
}

/** Line ends between the parts of a JSON text are only white space; inside strings they are escaped. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}
