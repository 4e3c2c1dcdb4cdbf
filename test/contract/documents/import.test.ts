import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const GUIDE =
  '# Guide\n\nFirst words.\n\n## Setup\n\nRun the installer.\n\n## Use\n\nCall the tool.\n'

describeEngines('doc.import', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('stores a document and gives it back byte for byte', async () => {
    const me = await heddle().identity()
    const content = '\ufeff# Größe\r\n\r\nmixed\nends\r\n\r\n東京 👩‍👩‍👧‍👦 e\u0301\n\n'
    const imported = await heddle().call(me, 'doc.import', { path: 'größe/東京 1.md', content })
    expect(imported).toMatchObject({
      path: 'größe/東京 1.md',
      revision: 1,
      changed: true,
      scope: 'agent',
    })
    const got = await heddle().call(me, 'doc.get', { path: 'gro\u0308ße/東京 1.md' })
    expect(got.content).toBe(content)
    expect(got.source_id).toBe(imported.source_id)
    expect(got.length).toBe(content.length)
    expect(got.hash).toBe(createHash('sha256').update(content).digest('hex'))
    expect(await heddle().call(me, 'doc.get', { id: imported.source_id })).toEqual(got)
  })

  it('changes nothing when the same text is imported again', async () => {
    const me = await heddle().identity()
    const first = await heddle().call(me, 'doc.import', { path: 'a.md', content: GUIDE })
    const again = await heddle().call(me, 'doc.import', { path: 'a.md', content: GUIDE })
    expect(again).toEqual({
      ...first,
      changed: false,
      chunks: {
        total: first.chunks.total,
        added: 0,
        kept: first.chunks.total,
        removed: 0,
        edited: 0,
        moved: 0,
      },
    })
    const outline = await heddle().call(me, 'doc.outline', { path: 'a.md' })
    expect(outline.revision).toBe(1)
  })

  it('keeps the ids of chunks when text elsewhere changes', async () => {
    const me = await heddle().identity()
    await heddle().call(me, 'doc.import', { path: 'a.md', content: GUIDE })
    const before = await heddle().call(me, 'doc.outline', { path: 'a.md' })
    const edited = GUIDE.replace('Call the tool.', 'Call the tool twice.').replace(
      '## Setup',
      'Inserted.\n\n## Setup',
    )
    const again = await heddle().call(me, 'doc.import', { path: 'a.md', content: edited })
    expect(again).toMatchObject({ revision: 2, changed: true, chunks: { added: 0, removed: 0 } })
    const after = await heddle().call(me, 'doc.outline', { path: 'a.md' })
    expect(after.chunks.map(({ chunk_id }) => chunk_id)).toEqual(
      before.chunks.map(({ chunk_id }) => chunk_id),
    )
    const old = await heddle().call(me, 'doc.get', { path: 'a.md', revision: 1 })
    expect(old.content).toBe(GUIDE)
    expect(old.newest_revision).toBe(2)
  })

  it('takes a removed tail out of recall and keeps it in history (case 124)', async () => {
    const me = await heddle().identity()
    const tail = '\n## Tail\n\nThe marker QX-9917 stands here.\n'
    await heddle().call(me, 'doc.import', { path: 'a.md', content: GUIDE + tail })
    const found = await heddle().call(me, 'recall', { query: 'QX-9917' })
    expect(found.hits).toHaveLength(1)
    await heddle().call(me, 'doc.import', { path: 'a.md', content: GUIDE })
    const gone = await heddle().call(me, 'recall', { query: 'QX-9917' })
    expect(gone.hits).toEqual([])
    const old = await heddle().call(me, 'doc.get', { path: 'a.md', revision: 1 })
    expect(old.content).toContain('QX-9917')
    const chunk = await heddle().call(me, 'get', { id: found.hits[0]?.id ?? '' })
    expect(chunk.record).toMatchObject({ is_current: false, revision: 1 })
    expect(chunk.record['quote']).toContain('QX-9917')
  })

  it('makes every marker of a long text recallable (case 20)', async () => {
    const me = await heddle().identity()
    const filler = 'Some ordinary words that fill the page between two markers. '.repeat(48)
    const markers = Array.from({ length: 30 }, (_, index) => `MK-${7000 + index}`)
    const content = markers.map((marker) => `${filler}The marker is ${marker}.`).join('\n\n')
    await heddle().call(me, 'doc.import', { path: 'long.md', content })
    for (const marker of markers) {
      const { hits } = await heddle().call(me, 'recall', { query: marker, top_k: 1 })
      expect(hits[0]?.text, marker).toContain(marker)
    }
  })

  it('touches only the last chunk when a word at the end of a large document changes (case 100)', async () => {
    const me = await heddle().identity()
    const part = (n: number) =>
      `## Part ${n}\n\n${`Words of part ${n} that stay as they are. `.repeat(12)}\n\n`
    const content = Array.from({ length: 150 }, (_, n) => part(n)).join('')
    const path = 'large.md'
    await heddle().call(me, 'doc.import', { path, content: `${content}The last word is amber.\n` })
    const before = await heddle().call(me, 'recall', { query: 'part 77', top_k: 1 })
    const edited = `${content}The last word is cobalt.\n`
    const again = await heddle().call(me, 'doc.import', { path, content: edited })
    expect(again.chunks).toMatchObject({ added: 0, removed: 0 })
    const after = await heddle().call(me, 'recall', { query: 'part 77', top_k: 1 })
    expect(after.hits[0]?.id).toBe(before.hits[0]?.id)
    expect(after.hits[0]?.citations[0]).toMatchObject({ revision: 2 })
    expect((await heddle().call(me, 'recall', { query: 'cobalt' })).hits).toHaveLength(1)
    expect((await heddle().call(me, 'recall', { query: 'amber' })).hits).toEqual([])
    expect((await heddle().call(me, 'doc.get', { path })).content).toBe(edited)
  })

  it('gives one document to many importers at once', async () => {
    const me = await heddle().identity()
    const texts = Array.from({ length: 8 }, (_, index) => `# Same\n\nText ${index}.\n`)
    const done = await Promise.all(
      texts.map((content) => heddle().call(me, 'doc.import', { path: 'same.md', content })),
    )
    expect(new Set(done.map(({ source_id }) => source_id)).size).toBe(1)
    expect(done.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ])
    for (const { revision } of done) {
      const { content } = await heddle().call(me, 'doc.get', { path: 'same.md', revision })
      expect(texts).toContain(content)
    }
  })

  it('reads title, type and tags from front matter, and arguments before it', async () => {
    const me = await heddle().identity()
    const content =
      '---\ntitle: From the front\ntype: runbook\ntags: [ops, night]\nowner: Ines\n---\n\n# H\n\nWords.\n'
    await heddle().call(me, 'doc.import', { path: 'a.md', content })
    const got = await heddle().call(me, 'doc.get', { path: 'a.md' })
    expect(got).toMatchObject({ title: 'From the front', type: 'runbook', tags: ['ops', 'night'] })
    expect(got.fields).toEqual({
      title: 'From the front',
      type: 'runbook',
      tags: ['ops', 'night'],
      owner: 'Ines',
    })
    const given = { path: 'a.md', content, title: 'Given', tags: ['day'] }
    const again = await heddle().call(me, 'doc.import', given)
    expect(again).toMatchObject({ changed: true, chunks: { added: 0, removed: 0 } })
    const { hits } = await heddle().call(me, 'recall', { query: 'words', tags: ['day'] })
    expect(hits[0]).toMatchObject({ title: 'Given > H', tags: ['day'], type: 'runbook' })
  })

  it('says where front matter does not parse and stores nothing', async () => {
    const me = await heddle().identity()
    const content = '---\ntitle: ok\nlist: [a, b\n---\n\ntext\n'
    const { error } = await heddle().fail(me, 'doc.import', { path: 'bad.md', content })
    expect(error.code).toBe('DOCUMENT_FRONT_MATTER')
    expect(error.details).toMatchObject({ line: 3, column: 12 })
    expect((await heddle().fail(me, 'doc.get', { path: 'bad.md' })).error.code).toBe('NOT_FOUND')
    expect((await heddle().call(me, 'list', {})).total).toBe(0)
  })

  it('refuses a document above the limit', async () => {
    const me = await heddle().identity()
    const small = makeTestHeddle(engine(), { documentBytes: 20 })
    await small.call(me, 'doc.import', { path: 'a.md', content: 'x'.repeat(20) })
    const { error } = await small.fail(me, 'doc.import', { path: 'a.md', content: 'é'.repeat(11) })
    expect(error).toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
      details: { bytes: 22, max_bytes: 20 },
    })
  })

  it.each([
    '',
    '/a.md',
    'a//b.md',
    '../a.md',
    'a/./b.md',
    'a\\b.md',
    'a/',
    ' a.md',
    'a\nb.md',
    'x'.repeat(1025),
    '東'.repeat(683),
  ])('refuses the path %j', async (path) => {
    const me = await heddle().identity()
    const { error } = await heddle().fail(me, 'doc.import', { path, content: 'x' })
    expect(error.code).toBe('INPUT_INVALID')
    expect(error.issues[0]?.path).toEqual(['path'])
  })

  it.each(['東京', 'ﷺ', '😀', 'q7'])('takes the longest path of %s', async (part) => {
    const me = await heddle().identity()
    // No two segments alike, so that no compression makes it fit.
    const parts = Array.from({ length: 1024 }, (_, n) => `${part}${(n * 7919) % 1009}`)
    let path = ''
    for (const next of parts) {
      const longer = path === '' ? next : `${path}/${next}`
      if (longer.length > 1024 || Buffer.byteLength(longer) > 2048) break
      path = longer
    }
    const { source_id } = await heddle().call(me, 'doc.import', { path, content: `# ${path}\n` })
    await heddle().call(me, 'doc.move', { path, to: `${path.slice(0, -1)}z` })
    const moved = await heddle().call(me, 'doc.get', { path: `${path.slice(0, -1)}z` })
    expect(moved.source_id).toBe(source_id)
  })

  it('refuses NUL and lone surrogates (case 90)', async () => {
    const me = await heddle().identity()
    for (const content of ['pump\u0000status ok', 'half \ud83d of a pair']) {
      const { error } = await heddle().fail(me, 'doc.import', { path: 'a.md', content })
      expect(error.code).toBe('INPUT_INVALID')
    }
  })

  it('answers a repeated idempotency key without a second revision', async () => {
    const me = await heddle().identity()
    const args = { path: 'a.md', content: GUIDE, idempotency_key: 'k1' }
    const first = await heddle().call(me, 'doc.import', args)
    expect(await heddle().call(me, 'doc.import', args)).toEqual(first)
  })

  describe('between two tenants with the same path and bytes (case 6)', () => {
    it('keeps their rows apart', async () => {
      const north = await heddle().identity()
      const south = await heddle().identity()
      const ours = await heddle().call(north, 'doc.import', { path: 'handbook', content: GUIDE })
      const theirs = await heddle().call(south, 'doc.import', { path: 'handbook', content: GUIDE })
      expect(theirs.source_id).not.toBe(ours.source_id)
      const before = await heddle().call(south, 'doc.get', { path: 'handbook' })
      const outline = await heddle().call(south, 'doc.outline', { path: 'handbook' })
      const changed = { path: 'handbook', content: '# Other\n', tags: ['mine'] }
      await heddle().call(north, 'doc.import', changed)
      expect(await heddle().call(south, 'doc.get', { path: 'handbook' })).toEqual(before)
      expect(await heddle().call(south, 'doc.outline', { path: 'handbook' })).toEqual(outline)
    })

    it('answers for a foreign id as for a missing one', async () => {
      const north = await heddle().identity()
      const south = await heddle().identity()
      const { source_id: id } = await heddle().call(north, 'doc.import', {
        path: 'a',
        content: GUIDE,
      })
      const { chunks } = await heddle().call(north, 'doc.outline', { path: 'a' })
      for (const op of ['doc.get', 'doc.outline', 'get']) {
        expect((await heddle().fail(south, op, { id })).error.code).toBe('NOT_FOUND')
      }
      const chunk = await heddle().fail(south, 'get', { id: chunks[0]?.chunk_id })
      expect(chunk.error.code).toBe('NOT_FOUND')
    })
  })
})
