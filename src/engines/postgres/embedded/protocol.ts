/** The part of the PostgreSQL protocol, version 3, that the host of a folder speaks itself. */

export const PROTOCOL_3 = 196_608
export const CANCEL_CODE = 80_877_102
export const SSL_CODE = 80_877_103
export const GSS_CODE = 80_877_104

/** What the client waits for an answer after: Query, Sync, Flush, FunctionCall. */
const RUNNABLE = new Set(['Q', 'S', 'H', 'F'].map((type) => type.charCodeAt(0)))
/** Those that end with ReadyForQuery. */
const ANSWERED = new Set(['Q', 'S', 'F'].map((type) => type.charCodeAt(0)))
export const TERMINATE = 'X'.charCodeAt(0)
const QUERY = 'Q'.charCodeAt(0)

/** True when the database can work on what came so far, up to and including this message. */
export function isRunnable(message: Buffer): boolean {
  return RUNNABLE.has(message[0] ?? 0)
}

export function endsWithReady(message: Buffer): boolean {
  return ANSWERED.has(message[0] ?? 0)
}

/** The SQL of a simple Query message; undefined for any other. */
export function queryTextOf(message: Buffer): string | undefined {
  return message[0] === QUERY ? message.toString('utf8', 5, message.length - 1) : undefined
}

export function makeQuery(text: string): Buffer {
  return frame('Q', Buffer.from(`${text}\0`))
}

export const SYNC = frame('S', Buffer.alloc(0))

const DATA_ROW = 'D'.charCodeAt(0)

/** The first column of the first row in the answer to a query of our own; undefined without a row. */
export function firstValueOf(answer: Buffer): string | undefined {
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    if (answer[at] !== DATA_ROW) continue
    const length = answer.readInt32BE(at + 7)
    return length < 0 ? undefined : answer.toString('utf8', at + 11, at + 11 + length)
  }
  return undefined
}

/** The code of an untyped first message, and for a start its parameters. */
export function readStartup(message: Buffer): { code: number; parameters: Map<string, string> } {
  const code = message.readInt32BE(4)
  const words = message.toString('utf8', 8).split('\0')
  const parameters = new Map<string, string>()
  for (let index = 0; index + 1 < words.length; index += 2) {
    parameters.set(words[index] ?? '', words[index + 1] ?? '')
  }
  return { code, parameters }
}

const PARAMETERS: readonly (readonly [string, string])[] = [
  ['server_version', '18.0'],
  ['server_encoding', 'UTF8'],
  ['client_encoding', 'UTF8'],
  ['DateStyle', 'ISO, MDY'],
  ['TimeZone', 'UTC'],
  ['integer_datetimes', 'on'],
  ['standard_conforming_strings', 'on'],
]

/** Everything from "you are let in" to "ready": there is no password, the folder is the protection. */
export function makeWelcome(connectionId: number): Buffer {
  const key = Buffer.alloc(8)
  key.writeInt32BE(connectionId, 0)
  return Buffer.concat([
    frame('R', Buffer.alloc(4)),
    ...PARAMETERS.map(([name, value]) => frame('S', Buffer.from(`${name}\0${value}\0`))),
    frame('K', key),
    frame('Z', Buffer.from('I')),
  ])
}

/** A failure after which the connection ends. */
export function makeFatalError(sqlstate: string, message: string): Buffer {
  return frame('E', Buffer.from(`SFATAL\0VFATAL\0C${sqlstate}\0M${message}\0\0`))
}

function frame(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.write(type, 0, 'latin1')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}
