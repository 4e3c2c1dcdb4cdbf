import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  MAX_MESSAGE_BYTES,
  MessageReader,
  ReadyScanner,
} from '../../../../../src/engines/postgres/embedded/message-reader.ts'
import { makeQuery } from '../../../../../src/engines/postgres/embedded/protocol.ts'

/** Cuts bytes into pieces at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end))
}

function frame(type: string, body: Uint8Array): Buffer {
  const header = Buffer.alloc(5)
  header.write(type)
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

function readAll(reader: MessageReader, pieces: readonly Buffer[]): Buffer[] {
  const messages: Buffer[] = []
  for (const piece of pieces) {
    reader.push(piece)
    for (let next = reader.next(); next !== undefined; next = reader.next()) messages.push(next)
  }
  return messages
}

const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 8 })
const places = fc.array(fc.nat(), { maxLength: 30 })

describe('the reader of messages', () => {
  it('finds the same messages however the bytes are cut', () => {
    fc.assert(
      fc.property(texts, places, (queries, at) => {
        const messages = queries.map(makeQuery)
        const reader = new MessageReader()
        reader.expectTypes()
        expect(readAll(reader, cut(Buffer.concat(messages), at))).toEqual(messages)
      }),
    )
  })

  it('reads a first message without a type, then typed ones from the same piece', () => {
    const startup = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0])
    const reader = new MessageReader()
    reader.push(Buffer.concat([startup, makeQuery('select 1')]))
    expect(reader.next()).toEqual(startup)
    reader.expectTypes()
    expect(reader.next()).toEqual(makeQuery('select 1'))
    expect(reader.next()).toBeUndefined()
  })

  it('refuses lengths that cannot be', () => {
    for (const length of [0, 3, -1, MAX_MESSAGE_BYTES + 1]) {
      const reader = new MessageReader()
      reader.expectTypes()
      const header = Buffer.alloc(5)
      header.write('Q')
      header.writeInt32BE(length, 1)
      reader.push(header)
      expect(() => reader.next()).toThrow(RangeError)
    }
  })
})

describe('the scanner of answers', () => {
  it('knows the last state however the bytes are cut', () => {
    const answer = fc.record({
      state: fc.constantFrom('I', 'T', 'E'),
      // Bodies that look like messages themselves.
      bodies: fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 5 }), places, (answers, at) => {
        const bytes = Buffer.concat(
          answers.flatMap(({ state, bodies }) => [
            ...bodies.map((body) => frame('D', body)),
            frame('Z', Buffer.from(state)),
          ]),
        )
        const scanner = new ReadyScanner()
        for (const piece of cut(bytes, at)) scanner.push(piece)
        expect(scanner.status).toBe(answers.at(-1)?.state)
      }),
    )
  })

  it('knows none before there was one', () => {
    const scanner = new ReadyScanner()
    scanner.push(frame('D', Buffer.from('Z\0\0\0\x05I')))
    expect(scanner.status).toBeUndefined()
  })
})
