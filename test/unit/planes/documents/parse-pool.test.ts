import { describe, expect, it } from 'vitest'

import { newRandomId } from '../../../../src/core/ids.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'
import { planRevision } from '../../../../src/planes/documents/plan-revision.ts'

const NEVER = new AbortController().signal
const LARGE = '# Part\n\nSome words in a paragraph, with *marks* in it.\n\n'.repeat(1500)

async function parseDocument(text: string, signal: AbortSignal) {
  const context = { newId: newRandomId, tenant: 't', given: {} }
  return (await planRevision(text, undefined, context, {}, signal)).parsed
}

describe('the parse pool', () => {
  it('finds the same in a large text, in its own thread, as in this one', async () => {
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 5)
    const parsed = await parseDocument(LARGE, NEVER)
    clearInterval(timer)
    expect(parsed).toEqual(parseMarkdownDocument(LARGE))
    expect(ticks).toBeGreaterThan(0)
  })

  it('brings errors back from the thread', async () => {
    const attempt = parseDocument(`---\na: [1\n---\n\n${LARGE}`, NEVER)
    await expect(attempt).rejects.toMatchObject({
      name: 'HeddleError',
      code: 'DOCUMENT_FRONT_MATTER',
      details: { line: 2 },
    })
  })

  it('gives up when told to', async () => {
    const controller = new AbortController()
    const attempt = parseDocument(LARGE, controller.signal)
    controller.abort()
    await expect(attempt).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(parseDocument(LARGE, controller.signal)).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})
