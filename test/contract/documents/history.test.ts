import { createHash } from 'node:crypto'

import { applyPatch } from 'diff'
import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import type { OperationResult } from '../../../src/memory/registry.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describeEngines('revisions of documents', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  const store = (me: Identity, path: string, content: string) =>
    heddle().call(me, 'doc.import', { path, content })

  it('lists revisions, newest first, with who wrote them and what became of chunks', async () => {
    const me = await heddle().identity({ session: 's1', model: 'm1' })
    const other = await heddle().identity({ ...me, agent: 'a2', session: 's2' })
    const one = '# A\n\nFirst.\n\n# B\n\nSecond.\n'
    const two = `${one}\n# C\n\nThird.\n`
    await heddle().call(me, 'doc.import', { path: 'a.md', content: one }, 'tenant')
    await heddle().call(other, 'doc.import', { path: 'a.md', content: two }, 'tenant')
    await heddle().call(me, 'doc.import', { path: 'a.md', content: one }, 'tenant')
    const history = await heddle().call(me, 'doc.history', { path: 'a.md' })
    expect(history).toMatchObject({ path: 'a.md', scope: 'tenant', total: 3, former_paths: [] })
    expect(
      history.revisions.map(({ revision, length, hash, chunks, provenance }) => ({
        revision,
        length,
        hash,
        chunks,
        by: [provenance.agent, provenance.session],
      })),
    ).toEqual([
      {
        revision: 3,
        length: one.length,
        hash: sha256(one),
        chunks: { added: 0, removed: 1 },
        by: ['a1', 's1'],
      },
      {
        revision: 2,
        length: two.length,
        hash: sha256(two),
        chunks: { added: 1, removed: 0 },
        by: ['a2', 's2'],
      },
      {
        revision: 1,
        length: one.length,
        hash: sha256(one),
        chunks: { added: 2, removed: 0 },
        by: ['a1', 's1'],
      },
    ])
    const first = await heddle().call(me, 'doc.history', { path: 'a.md', limit: 2 })
    const rest = await heddle().call(me, 'doc.history', {
      path: 'a.md',
      limit: 2,
      ...(first.next_cursor !== undefined && { cursor: first.next_cursor }),
    })
    expect([...first.revisions, ...rest.revisions]).toEqual(history.revisions)
    expect(rest.next_cursor).toBeUndefined()
  })

  it('shows where a document was, and who deleted it', async () => {
    const me = await heddle().identity()
    const { source_id: id } = await store(me, 'a.md', 'Words.\n')
    await heddle().call(me, 'doc.move', { path: 'a.md', to: 'b/c.md' })
    const moved = await heddle().call(me, 'doc.history', { id })
    expect(moved.path).toBe('b/c.md')
    expect(moved.former_paths).toEqual([
      { path: 'a.md', until: expect.stringMatching(/^\d{4}-.*Z$/) as unknown },
    ])
    await heddle().call(me, 'doc.delete', { id })
    for (const name of [{ id }, { path: 'b/c.md' }]) {
      const gone = await heddle().call(me, 'doc.history', name)
      expect(gone).toMatchObject({ source_id: id, deleted_by: 'a1', total: 1 })
      expect(gone.deleted_at).toMatch(/Z$/)
    }
    const { source_id: successor } = await store(me, 'b/c.md', 'Again.\n')
    const live = await heddle().call(me, 'doc.history', { path: 'b/c.md' })
    expect(live.source_id).toBe(successor)
    expect(live.deleted_at).toBeUndefined()
  })

  it('answers for what is not there, and for what others have, the same', async () => {
    const me = await heddle().identity()
    const foreign = await heddle().identity()
    const { source_id: id } = await store(foreign, 'a.md', 'Words.\n')
    const { chunks } = await heddle().call(foreign, 'doc.outline', { id })
    for (const op of ['doc.history', 'doc.diff', 'doc.export', 'doc.links', 'doc.backlinks']) {
      expect((await heddle().fail(me, op, { id })).error.code, op).toBe('NOT_FOUND')
      expect((await heddle().fail(me, op, { path: 'a.md' })).error.code, op).toBe('NOT_FOUND')
    }
    const chunk = await heddle().fail(me, 'doc.export', { chunk_id: chunks[0]?.chunk_id })
    expect(chunk.error.code).toBe('NOT_FOUND')
    const late = await heddle().fail(foreign, 'doc.export', { id, revision: 2 })
    expect(late.error.code).toBe('NOT_FOUND')
  })

  it('shows the differences of any two revisions as what makes one of the other', async () => {
    const me = await heddle().identity()
    const texts = ['one\r\ntwo\r\nthree', 'one\r\n2\r\nthree\r\n', '\ufeffone\n', 'é\u0301\n東京']
    for (const text of texts) await store(me, 'größe.md', text)
    const newest = await heddle().call(me, 'doc.diff', { path: 'größe.md' })
    expect(newest).toMatchObject({ from: 3, to: 4, truncated: false, minimal: true })
    for (const [from, before] of ['', ...texts].entries()) {
      for (const [at, after] of texts.entries()) {
        const to = at + 1
        const { diff } = await heddle().call(me, 'doc.diff', { path: 'größe.md', from, to })
        if (before === after) expect(diff).toBe('')
        else expect(applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after)
      }
    }
    const { diff, lines_added } = await heddle().call(me, 'doc.diff', {
      path: 'größe.md',
      from: 1,
      to: 2,
      context: 0,
    })
    expect(lines_added).toBe(2)
    expect(diff.split('\n').slice(1)).toEqual([
      expect.stringContaining('revision 2'),
      '@@ -2,2 +2,2 @@',
      '-two\r',
      '-three',
      '\\ No newline at end of file',
      '+2\r',
      '+three\r',
      '',
    ])
    const first = await heddle().call(me, 'doc.diff', { path: 'größe.md', to: 1 })
    expect(first).toMatchObject({ from: 0, lines_added: 3, lines_removed: 0 })
  })

  it('keeps serving while large texts without anything in common are compared', async () => {
    const me = await heddle().identity()
    const text = (word: string) =>
      Array.from({ length: 6000 }, (_, at) => `${word} ${at * 7919} ${word.repeat(20)}\n\n`).join(
        '',
      )
    await store(me, 'large.md', text('left '))
    await store(me, 'large.md', text('right '))
    let turns = 0
    const timer = setInterval(() => (turns += 1), 5)
    const found = await heddle().call(me, 'doc.diff', { path: 'large.md' })
    clearInterval(timer)
    expect(found).toMatchObject({
      lines_added: 11_999,
      lines_removed: 11_999,
      truncated: true,
      minimal: false,
    })
    expect(found.diff.length).toBeLessThan(1.1 * 1024 * 1024)
    // Comparing them in this thread would let the timer fire a few times at most.
    expect(turns).toBeGreaterThan(20)
  })

  it('exports the bytes of every revision exactly (case 130)', async () => {
    const me = await heddle().identity()
    const texts = [
      '\ufeff# A\r\n\r\nmixed\nends\r\n\r\n',
      '---\ntitle: x\n---\nno end',
      '\n\n   \n',
      'Setext\n===\n\n```\n# no heading\n```\n\n[[x]] ![[y]] <div>\n\ne\u0301 👩‍👩‍👧‍👦\u2028\u0085',
    ]
    for (const text of texts) await store(me, 'a.md', text)
    for (const [at, text] of texts.entries()) {
      const found = await heddle().call(me, 'doc.export', { path: 'a.md', revision: at + 1 })
      expect(found).toMatchObject({
        content: text,
        hash: sha256(text),
        length: text.length,
        revision: at + 1,
        newest_revision: texts.length,
        media_type: 'text/markdown; charset=utf-8',
      })
    }
  })

  it('exports a chunk as exactly its span; the leaves together are the document', async () => {
    const me = await heddle().identity()
    const content =
      '\ufeff# A\r\n\r\nFirst.\r\n\r\n## B\r\n\r\n- x\r\n- y\r\n\r\n```\ncode\n```\n\n'
    await store(me, 'a.md', content)
    await store(me, 'a.md', content.replace('First', 'Other'))
    const { chunks } = await heddle().call(me, 'doc.outline', { path: 'a.md', revision: 1 })
    const parts: string[] = []
    for (const { chunk_id, span, type } of chunks) {
      const found = await heddle().call(me, 'doc.export', { chunk_id, revision: 1 })
      expect(found).toMatchObject({ chunk_id, span, content: content.slice(span.start, span.end) })
      expect(found.hash).toBe(sha256(found.content))
      if (type !== 'section') parts.push(found.content)
    }
    expect(parts.join('')).toBe(content)
    const now = await heddle().call(me, 'doc.export', { chunk_id: chunks[1]?.chunk_id ?? '' })
    expect(now).toMatchObject({ revision: 2, path: 'a.md' })
    expect(now.content).toContain('Other')
  })

  it('exports a conversation: all turns, tool traffic only when asked for, any revision', async () => {
    const me = await heddle().identity()
    const turns = [
      {
        role: 'user',
        speaker: 'Ines',
        content: 'To dock 4.\r\nNow.',
        observed_at: '2026-01-02T03:04:05Z',
      },
      { role: 'assistant', content: 'I look.', tool: { name: 'find', n: 1 } },
      { role: 'tool', content: 'found', tool: { ok: true } },
    ]
    const seen = await heddle().call(me, 'observe', { conversation: 'standup', turns })
    await heddle().call(me, 'observe', {
      conversation: 'standup',
      turns: [{ role: 'user', content: 'Thanks.' }],
    })
    const plain = await heddle().call(me, 'doc.export', { conversation: 'standup' })
    expect(plain).toMatchObject({
      source_id: seen.source_id,
      kind: 'conversation',
      conversation: 'standup',
      revision: 2,
      media_type: 'text/plain; charset=utf-8',
      content:
        '[1] Ines (user) 2026-01-02T03:04:05.000000Z\nTo dock 4.\r\nNow.\n\n[2] assistant\nI look.\n\n[4] user\nThanks.\n\n',
    })
    const first = { id: seen.source_id, revision: 1, tool_turns: true, format: 'jsonl' } as const
    const lines = await heddle().call(me, 'doc.export', first)
    expect(
      lines.content
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject(
      turns.map(({ role, content, ...rest }, at) => ({
        position: at + 1,
        role,
        content,
        ...('tool' in rest && { tool: rest.tool }),
      })),
    )
    const turn = await heddle().call(me, 'doc.export', { chunk_id: seen.turn_ids?.[0] ?? '' })
    expect(turn).toMatchObject({ content: 'To dock 4.\r\nNow.', span: { start: 0, end: 16 } })
  })

  it('exports a long conversation in parts, nothing cut', async () => {
    const small = makeTestHeddle(engine(), { documentBytes: 4000 })
    const me = await small.identity()
    const turns = Array.from({ length: 40 }, (_, at) => ({
      role: 'user',
      content: `Turn ${at} ${'word '.repeat(40)}`,
    }))
    await small.call(me, 'observe', { conversation: 'long', turns })
    const parts: string[] = []
    let cursor: string | undefined
    do {
      const part: OperationResult<'doc.export'> = await small.call(me, 'doc.export', {
        conversation: 'long',
        format: 'jsonl',
        ...(cursor !== undefined && { cursor }),
      })
      parts.push(part.content)
      cursor = part.next_cursor
    } while (cursor !== undefined)
    expect(parts.length).toBeGreaterThan(2)
    const exported = parts.join('').trimEnd().split('\n')
    expect(exported.map((line) => (JSON.parse(line) as { content: string }).content)).toEqual(
      turns.map(({ content }) => content),
    )
  })

  it('refuses arguments that do not belong together', async () => {
    const me = await heddle().identity()
    await store(me, 'a.md', 'Words.\n')
    for (const args of [
      {},
      { path: 'a.md', conversation: 'x' },
      { path: 'a.md', format: 'jsonl' },
      { path: 'a.md', tool_turns: true },
      { path: 'a.md', raw: true },
      { path: 'a.md', revision: 0 },
    ]) {
      expect((await heddle().fail(me, 'doc.export', args)).error.code).toBe('INPUT_INVALID')
    }
    expect((await heddle().fail(me, 'doc.export', { conversation: 'x' })).error.code).toBe(
      'NOT_FOUND',
    )
    const diff = await heddle().fail(me, 'doc.diff', { path: 'a.md', from: 2 })
    expect(diff.error.code).toBe('NOT_FOUND')
  })
})
