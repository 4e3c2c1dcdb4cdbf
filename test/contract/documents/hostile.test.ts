import { expect, it } from 'vitest'

import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

describeEngines('documents made to hurt', (engine) => {
  // How deep a parser's stack goes is the machine's business; that it never ends the thread is ours.
  it('takes or refuses one that nests deeply, and goes on', async () => {
    const heddle = makeTestHeddle(engine())
    const identity = await heddle.identity()
    const content = `${'> '.repeat(5000)}x`
    const reply = await heddle.reply(identity, 'doc.import', { path: 'deep.md', content })
    if (reply.ok) {
      expect((await heddle.call(identity, 'doc.get', { path: 'deep.md' })).content).toBe(content)
    } else {
      expect(reply.error.code).toBe('DOCUMENT_TOO_COMPLEX')
      expect((await heddle.call(identity, 'list', {})).total).toBe(0)
    }
    await heddle.call(identity, 'doc.import', { path: 'fine.md', content: '# Fine\n\nText.\n' })
  })

  it('keeps serving while one is parsed', async () => {
    const heddle = makeTestHeddle(engine())
    const identity = await heddle.identity()
    const content = '| a | b |\n| --- | --- |\n' + '| one | two |\n'.repeat(1500)
    const done: string[] = []
    await Promise.all([
      heddle
        .call(identity, 'doc.import', { path: 'table.md', content })
        .then(() => done.push('import')),
      heddle.call(identity, 'kv.set', { key: 'k', value: 1 }).then(() => done.push('kv')),
    ])
    expect(done).toEqual(['kv', 'import'])
  })

  it('lets eight large ones in at once', async () => {
    const heddle = makeTestHeddle(engine())
    const identity = await heddle.identity()
    const content = 'A sentence about crates and docks.\n\n'.repeat(1000)
    const paths = Array.from({ length: 8 }, (_, n) => `large-${n}.md`)
    await Promise.all(paths.map((path) => heddle.call(identity, 'doc.import', { path, content })))
    expect((await heddle.call(identity, 'list', { kind: 'source' })).total).toBe(8)
  })

  it('looks at the beginning of an endless query and says so', async () => {
    const heddle = makeTestHeddle(engine())
    const identity = await heddle.identity()
    const reply = await heddle.reply(identity, 'recall', { query: 'crate '.repeat(1_000_000) })
    expect(reply).toMatchObject({ ok: true, notes: [{ code: 'query_trimmed' }] })
  })

  it('names at most twenty faults', async () => {
    const heddle = makeTestHeddle(engine())
    const identity = await heddle.identity()
    const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`f${n}`, n]))
    const failure = await heddle.fail(identity, 'kv.set', { key: 'k', value: 1, ...fields })
    expect(failure.error.issues).toHaveLength(20)
  })
})
