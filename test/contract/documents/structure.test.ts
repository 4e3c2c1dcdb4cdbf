import { expect, it } from 'vitest'

import { readDocumentRows } from '../../support/document-rows.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const GUIDE =
  '# Guide\r\n\r\nIntro words.\r\n\r\n## Setup\r\n\r\nRun it.\r\n\r\n### Windows\r\n\r\nClick it.\r\n\r\n' +
  'Use\r\n---\r\n\r\nCall it.\r\n\r\n## Notes\r\n\r\nTBD\r\n\r\n# Annex\r\n\r\n## Notes\r\n\r\nTBD'
const path = 'guide.md'

describeEngines('the structure of a document', (engine) => {
  const heddle = () => makeTestHeddle(engine())
  const start = async (content = GUIDE) => {
    const me = await heddle().identity()
    await heddle().call(me, 'doc.create', { path, content })
    const outline = () => heddle().call(me, 'doc.outline', { path })
    const { chunks } = await outline()
    const section = (title: string, nth = 0) =>
      chunks.filter((chunk) => chunk.title === title)[nth]?.chunk_id ?? 'none'
    const content1 = async () => (await heddle().call(me, 'doc.get', { path })).content
    return { me, chunks, section, outline, content: content1 }
  }
  type Started = Awaited<ReturnType<typeof start>>
  const titles = async ({ outline }: Started) =>
    (await outline()).chunks.flatMap(({ level, title }) =>
      level === undefined ? [] : [`${'#'.repeat(level)} ${title ?? ''}`],
    )
  const idsOf = async ({ outline }: Started) =>
    (await outline()).chunks.map(({ chunk_id }) => chunk_id).sort()

  it('changes with doc.move: a section goes before, after or into another and keeps its ids', async () => {
    const doc = await start()
    const before = await idsOf(doc)
    const done = await heddle().call(doc.me, 'doc.move', {
      path,
      chunk_id: doc.section('Setup'),
      after: doc.section('Use'),
      if_revision: 1,
    })
    expect(done).toMatchObject({ revision: 2, chunks: { added: 0, removed: 0, edited: 0 } })
    expect(done.chunks.moved).toBeGreaterThan(0)
    const setup = GUIDE.slice(GUIDE.indexOf('## Setup'), GUIDE.indexOf('Use'))
    expect(await doc.content()).toBe(
      GUIDE.replace(setup, '').replace('Call it.\r\n\r\n', `Call it.\r\n\r\n${setup}`),
    )
    expect(await idsOf(doc)).toEqual(before)
    await heddle().call(doc.me, 'doc.move', {
      path,
      chunk_id: doc.section('Setup'),
      into: doc.section('Annex'),
      if_revision: 2,
    })
    expect(await titles(doc)).toEqual([
      '# Guide',
      '## Use',
      '## Notes',
      '# Annex',
      '## Notes',
      '## Setup',
      '### Windows',
    ])
    expect(await idsOf(doc)).toEqual(before)
    // The text had no line end at its end, where another section has come to stand now.
    expect(await doc.content()).toContain(`TBD\r\n${setup}`)
  })

  it('makes headings follow their depth, underlined ones too', async () => {
    const doc = await start()
    await heddle().call(doc.me, 'doc.move', {
      path,
      chunk_id: doc.section('Use'),
      before: doc.section('Windows'),
      if_revision: 1,
    })
    expect(await doc.content()).toContain(
      'Run it.\r\n\r\n### Use\r\n\r\nCall it.\r\n\r\n### Windows',
    )
    await heddle().call(doc.me, 'doc.move', {
      path,
      chunk_id: doc.section('Windows'),
      before: doc.section('Guide'),
      if_revision: 2,
    })
    expect((await doc.content()).startsWith('# Windows\r\n\r\nClick it.\r\n\r\n# Guide')).toBe(true)
    const { hits } = await heddle().call(doc.me, 'recall', { query: 'click' })
    expect(hits[0]?.title).not.toContain('Setup')
    const now = await doc.outline()
    expect(now.chunks.find(({ title }) => title === 'Windows')?.chunk_id).toBe(
      doc.section('Windows'),
    )
  })

  it('keeps ids of equal sections apart where they swap places', async () => {
    const doc = await start('# A\n\n## Notes\n\nTBD\n\n## Log\n\n- a\n\n# B\n\n## Notes\n\nTBD\n')
    const [first, second] = [doc.section('Notes'), doc.section('Notes', 1)]
    await heddle().call(doc.me, 'doc.reorder', {
      path,
      order: [doc.section('B'), doc.section('A')],
      if_revision: 1,
    })
    const { chunks } = await doc.outline()
    const notes = chunks.filter(({ title }) => title === 'Notes').map(({ chunk_id }) => chunk_id)
    expect(notes).toEqual([second, first])
  })

  it.each([
    [
      'one of two names in one branch',
      '# a\n\n## P\n\nnone\n\n## R\n\ntext\n\n### b\n\n### P\n\nnone\n',
    ],
    [
      'names that repeat',
      '# set\n\n## P\n\nnone\n\n## R\n\nx\n\n# get\n\n## P\n\nnone\n\n## R\n\nx\n',
    ],
    ['no names at all', '# B\n#\n\n##\n\n#\n\nw\n'],
    ['nothing but headings', '# C\n\n## D\n### x\n\n#### x\n\n### x\n\n'],
  ])('keeps every section that moves what it was: %s', async (_, content) => {
    const doc = await start(content)
    const sections = doc.chunks.filter(({ level }) => level !== undefined)
    let moves = 0
    for (const moved of sections) {
      for (const place of ['before', 'after', 'into'] as const) {
        for (const other of sections) {
          const before = await doc.outline()
          const text = (id: string, { chunks }: typeof before, all: string) => {
            const found = chunks.find(({ chunk_id }) => chunk_id === id)
            return found && all.slice(found.span.start, found.span.end).replace(/^#+|\n+$/gm, '')
          }
          const old = text(moved.chunk_id, before, await doc.content())
          const reply = await heddle().reply(doc.me, 'doc.move', {
            path,
            chunk_id: moved.chunk_id,
            [place]: other.chunk_id,
            if_revision: before.revision,
          })
          if (!reply.ok) continue
          moves += 1
          const after = await doc.outline()
          expect(await idsOf(doc)).toEqual(before.chunks.map(({ chunk_id }) => chunk_id).sort())
          if (place !== 'into' && other.chunk_id === moved.chunk_id) continue
          expect(text(moved.chunk_id, after, await doc.content())).toBe(old)
        }
      }
    }
    expect(moves).toBeGreaterThan(5)
  })

  it('changes with doc.reorder, and lifts a heading that would be read as part of the one before', async () => {
    const doc = await start('### Deep\n\nd\n\n# Top\n\nt\n\n# Last\n\nl\n')
    const done = await heddle().call(doc.me, 'doc.reorder', {
      path,
      order: [doc.section('Top'), doc.section('Deep'), doc.section('Last')],
      if_revision: 1,
    })
    expect(done.revision).toBe(2)
    expect(await doc.content()).toBe('# Top\n\nt\n\n# Deep\n\nd\n\n# Last\n\nl\n')
    const order = [doc.section('Top'), doc.section('Top'), doc.section('Last')]
    const { error } = await heddle().fail(doc.me, 'doc.reorder', { path, order, if_revision: 2 })
    expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: ['order'] }] })
    const late = await heddle().fail(doc.me, 'doc.reorder', { path, order, if_revision: 1 })
    expect(late.error.code).toBe('REVISION_MISMATCH')
  })

  it('leaves a section in its place without a revision', async () => {
    const doc = await start()
    const args = { chunk_id: doc.section('Windows'), into: doc.section('Setup') }
    const done = await heddle().call(doc.me, 'doc.move', { path, ...args, if_revision: 1 })
    expect(done).toMatchObject({ revision: 1, changed: false })
  })

  it('puts a blank line where a block would else take in what follows, and refuses where that does not help', async () => {
    const html = await start('# A\n\na\n\n# B\n\n<div>b</div>')
    const move = (doc: Started, revision: number) => ({
      path,
      chunk_id: doc.section('B'),
      before: doc.section('A'),
      if_revision: revision,
    })
    await heddle().call(html.me, 'doc.move', move(html, 1))
    expect(await html.content()).toBe('# B\n\n<div>b</div>\n\n# A\n\na\n\n')
    const fence = await start('# A\n\na\n\n# B\n\n```\nnever closed\n')
    const { error } = await heddle().fail(fence.me, 'doc.move', move(fence, 1))
    expect(error).toMatchObject({
      code: 'DOCUMENT_EDIT_REFUSED',
      details: { reason: 'block_left_open' },
    })
    expect(await fence.content()).toBe('# A\n\na\n\n# B\n\n```\nnever closed\n')
  })

  it('refuses a section inside itself and headings below level 6', async () => {
    const doc = await start(
      '# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5\n\n###### 6\n\n# X\n\n## Y\n',
    )
    const inside = { chunk_id: doc.section('1'), into: doc.section('4') }
    const deep = { chunk_id: doc.section('X'), into: doc.section('5') }
    for (const [args, reason] of [
      [inside, 'into_itself'],
      [deep, 'heading_too_deep'],
    ] as const) {
      const { error } = await heddle().fail(doc.me, 'doc.move', { path, ...args, if_revision: 1 })
      expect(error).toMatchObject({ code: 'DOCUMENT_EDIT_REFUSED', details: { reason } })
    }
  })

  it.each([
    [{}, ['to']],
    [{ to: 'b.md', chunk_id: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11' }, ['to']],
    [{ to: 'b.md', before: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11' }, ['before']],
    [{ chunk_id: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11', if_revision: 1 }, ['before']],
    [
      {
        chunk_id: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11',
        before: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11',
      },
      ['if_revision'],
    ],
  ])('refuses doc.move with %j', async (args, field) => {
    const { me } = await start()
    const { error } = await heddle().fail(me, 'doc.move', { path, ...args })
    expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: field }] })
  })

  it('loses a section with doc.delete, and nothing else', async () => {
    const doc = await start()
    const args = { path, chunk_id: doc.section('Setup'), if_revision: 1 }
    await heddle().call(doc.me, 'doc.delete', args)
    const setup = GUIDE.slice(GUIDE.indexOf('## Setup'), GUIDE.indexOf('Use'))
    expect(await doc.content()).toBe(GUIDE.replace(setup, ''))
    expect((await heddle().call(doc.me, 'recall', { query: 'click' })).hits).toEqual([])
    const late = await heddle().fail(doc.me, 'doc.delete', args)
    expect(late.error.code).toBe('REVISION_MISMATCH')
  })
})

describeEngines('the path of a document', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('changes with doc.move and nothing else does', async () => {
    const me = await heddle().identity()
    const made = await heddle().call(me, 'doc.create', { path, content: GUIDE })
    const before = await heddle().call(me, 'doc.outline', { path })
    const done = await heddle().call(me, 'doc.move', { path, to: 'books/guide.md' })
    expect(done).toMatchObject({ source_id: made.source_id, path: 'books/guide.md', revision: 1 })
    expect((await heddle().fail(me, 'doc.get', { path })).error.code).toBe('NOT_FOUND')
    const after = await heddle().call(me, 'doc.outline', { path: 'books/guide.md' })
    expect(after).toEqual({ ...before, path: 'books/guide.md' })
    const found = await heddle().call(me, 'recall', { query: 'click', path: 'books/' })
    expect(found.hits).toHaveLength(1)
    const again = await heddle().call(me, 'doc.move', { id: made.source_id, to: 'books/guide.md' })
    expect(again.changed).toBe(false)
    // The path is free again.
    await heddle().call(me, 'doc.create', { path, content: 'new' })
  })

  it('is not taken from another document', async () => {
    const me = await heddle().identity()
    await heddle().call(me, 'doc.create', { path: 'a.md', content: 'a' })
    const other = await heddle().call(me, 'doc.create', { path: 'b.md', content: 'b' })
    const { error } = await heddle().fail(me, 'doc.move', { path: 'a.md', to: 'b.md' })
    expect(error).toMatchObject({ code: 'PATH_TAKEN', details: { id: other.source_id } })
    expect((await heddle().call(me, 'doc.get', { path: 'a.md' })).content).toBe('a')
  })

  it('goes to one of many that want it at once', async () => {
    const me = await heddle().identity()
    const paths = Array.from({ length: 6 }, (_, n) => `from-${n}.md`)
    for (const from of paths) await heddle().call(me, 'doc.create', { path: from, content: from })
    const replies = await Promise.all([
      ...paths.map((from) => heddle().reply(me, 'doc.move', { path: from, to: 'target.md' })),
      heddle().reply(me, 'doc.create', { path: 'target.md', content: 'made' }),
    ])
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1)
    const codes = replies.flatMap((reply) => (reply.ok ? [] : [reply.error.code]))
    expect(codes).toEqual(Array(6).fill('PATH_TAKEN'))
  })

  it('stays known as a former name, so that links by it still lead there', async () => {
    const me = await heddle().identity()
    const made = await heddle().call(me, 'doc.create', { path: 'old/name.md', content: '# T\n' })
    const content = 'See [it](old/name.md) and [[name]].\n'
    await heddle().call(me, 'doc.create', { path: 'from.md', content })
    await heddle().call(me, 'doc.move', { path: 'old/name.md', to: 'new/other.md' })
    const { links } = await heddle().call(me, 'doc.links', { path: 'from.md' })
    expect(links).toHaveLength(2)
    expect(JSON.stringify(links)).toContain(made.source_id)
  })
})

describeEngines('documents of two tenants with the same path and bytes', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('never touch each other, whatever one does', async () => {
    const north = await heddle().identity()
    const south = await heddle().identity()
    const content = '# A\n\n[[b]] words.\n\n## Two\n\nMore words.\n'
    for (const who of [north, south]) {
      await heddle().call(who, 'doc.import', { path: 'a.md', content })
      await heddle().call(who, 'doc.import', { path: 'b.md', content: '# B\n' })
    }
    const before = await readDocumentRows(engine(), south)
    expect(before['link']).toHaveLength(1)
    const { chunks } = await heddle().call(north, 'doc.outline', { path: 'a.md' })
    const chunk_id = chunks.find(({ title }) => title === 'Two')?.chunk_id ?? ''
    const text = { chunk_id, content: '## Two\n\nOther words.' }
    await heddle().call(north, 'doc.update', { path: 'a.md', ...text, if_revision: 1 })
    await heddle().call(north, 'doc.update', { path: 'a.md', append: '\nTail.\n', tags: ['x'] })
    await heddle().call(north, 'doc.import', { path: 'a.md', content })
    await heddle().call(north, 'doc.move', { path: 'b.md', to: 'c.md' })
    const { revision } = await heddle().call(north, 'doc.get', { path: 'a.md' })
    await heddle().call(north, 'doc.delete', { path: 'a.md', chunk_id, if_revision: revision })
    await heddle().call(north, 'doc.delete', { path: 'a.md' })
    expect(await readDocumentRows(engine(), south)).toEqual(before)
  })
})

describeEngines('a document that is deleted while it is changed', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('has nothing derived from it left', async () => {
    const me = await heddle().identity()
    const { source_id } = await heddle().call(me, 'doc.create', { path, content: GUIDE })
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, (_, n) =>
        heddle().reply(me, 'doc.update', { id: source_id, append: `\n[[link ${n}]]\n` }),
      ),
      heddle().reply(me, 'doc.delete', { path }),
      ...Array.from({ length: 4 }, (_, n) =>
        heddle().reply(me, 'doc.update', { id: source_id, append: `\n[[more ${n}]]\n` }),
      ),
    ])
    const codes = replies.flatMap((reply) => (reply.ok ? [] : [reply.error.code]))
    expect(codes.filter((code) => code !== 'NOT_FOUND')).toEqual([])
    const rows = await readDocumentRows(engine(), me)
    expect(rows['recall_item']).toEqual([])
    expect(rows['link']).toEqual([])
  })
})
