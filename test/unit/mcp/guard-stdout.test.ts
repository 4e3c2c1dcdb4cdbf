import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'

import { expect, it } from 'vitest'

import { guardStdout } from '../../../src/mcp/guard-stdout.ts'

it('lets nothing but the protocol reach standard output', async () => {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const guard = guardStdout(
    stdout as unknown as NodeJS.WriteStream,
    stderr as unknown as NodeJS.WriteStream,
  )
  stdout.write('a banner\n')
  guard.protocol.write('{"ข้อความ":"👋"}\n')
  guard.protocol.end()
  await finished(guard.protocol)
  guard.restore()
  stdout.write('after\n')
  expect(String(stdout.read())).toBe('{"ข้อความ":"👋"}\nafter\n')
  expect(String(stderr.read())).toBe('a banner\n')
})
