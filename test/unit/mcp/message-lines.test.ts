import { describe, expect, it } from 'vitest'

import { type MessageLine, MessageLines } from '../../../src/mcp/message-lines.ts'

function push(lines: MessageLines, text: string): string[] {
  return [...lines.push(Buffer.from(text))].map(show)
}

function show(line: MessageLine): string {
  if (line.kind === 'whole') return line.bytes.toString()
  return `${line.head.toString()}…${line.tail.toString()}`
}

describe('lines of a stream', () => {
  it('are the same however the stream is cut', () => {
    const text = 'größe\n\n東京 👩‍🚀\nlast'
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines = new MessageLines(100)
      const found: string[] = []
      for (let at = 0; at < bytes.length; at += size) {
        found.push(...[...lines.push(bytes.subarray(at, at + size))].map(show))
      }
      expect(found).toEqual(['größe', '', '東京 👩‍🚀'])
    }
  })

  it('may be as long as the limit; of a longer one only start and end are kept', () => {
    const lines = new MessageLines(1000)
    expect(push(lines, `${'x'.repeat(1000)}\n`)).toEqual(['x'.repeat(1000)])
    expect(push(lines, `start${'x'.repeat(996)}`)).toEqual([])
    expect(push(lines, 'end\nnext\n')).toEqual([
      `start${'x'.repeat(251)}…${'x'.repeat(253)}end`,
      'next',
    ])
  })
})
