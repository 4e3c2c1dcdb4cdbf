import { describe, expect, it } from 'vitest'

import {
  answeredNames,
  type NameHolder,
  resolveLink,
  type StoredLink,
  wantedNames,
} from '../../../../../src/planes/documents/links/resolve-link.ts'

const SCOPES = ['user', 'agent', 'tenant']

const link = (
  kind: StoredLink['kind'],
  targetName: string | undefined,
  target = 't',
): StoredLink => ({
  sourceId: 'from',
  scopeId: 'tenant',
  position: 0,
  chunkId: 'c',
  kind,
  target,
  span: { start: 0, end: 1 },
  ...(targetName !== undefined && { targetName }),
})

const holder = (sourceId: string, parts: Partial<NameHolder>): NameHolder => ({
  kind: 'path',
  name: 'a.md',
  isFormer: false,
  sourceId,
  scopeId: 'tenant',
  path: 'a.md',
  ...parts,
})

const resolve = (given: StoredLink, holders: readonly NameHolder[]) => {
  const resolution = resolveLink(given, holders, SCOPES)
  return 'candidates' in resolution
    ? [resolution.state, ...resolution.candidates.map(({ sourceId }) => sourceId)]
    : [resolution.state]
}

describe('resolveLink', () => {
  it('prefers who has a path now to who had it', () => {
    const former = holder('former', { isFormer: true })
    expect(resolve(link('link', 'a.md'), [former, holder('now', {})])).toEqual(['resolved', 'now'])
    expect(resolve(link('link', 'a.md'), [former])).toEqual(['resolved', 'former'])
  })

  it('prefers a path as written to one with an ending, and any now to any before', () => {
    const bare = holder('bare', { name: 'a' })
    const ended = holder('ended', { name: 'a.md' })
    expect(resolve(link('link', 'a'), [ended, bare])).toEqual(['resolved', 'bare'])
    expect(resolve(link('link', 'a'), [{ ...bare, isFormer: true }, ended])).toEqual([
      'resolved',
      'ended',
    ])
  })

  it('leads a path into the scope of its own document, else into the narrowest', () => {
    const mine = holder('mine', { scopeId: 'user' })
    const shared = holder('shared', { scopeId: 'tenant' })
    expect(resolve(link('link', 'a.md'), [mine, shared])).toEqual(['resolved', 'shared'])
    const agents = holder('agents', { scopeId: 'agent' })
    expect(resolve(link('link', 'a.md'), [agents, mine])).toEqual(['resolved', 'mine'])
  })

  it('says that a name is ambiguous and gives all candidates, the narrowest scope first', () => {
    const holders = [
      holder('shared', { kind: 'title', name: 'a', scopeId: 'tenant' }),
      holder('mine', { kind: 'segment', name: 'a', scopeId: 'user' }),
      holder('mine', { kind: 'title', name: 'a', scopeId: 'user' }),
      holder('former', { kind: 'alias', name: 'a', scopeId: 'user', isFormer: true }),
    ]
    expect(resolve(link('wiki', 'a'), holders)).toEqual(['ambiguous', 'mine', 'shared'])
    expect(resolve(link('wiki', 'a'), holders.slice(1))).toEqual(['resolved', 'mine'])
    expect(resolve(link('wiki', 'a'), holders.slice(3))).toEqual(['resolved', 'former'])
  })

  it('never takes a title for a path nor a path for a title', () => {
    expect(resolve(link('link', 'a'), [holder('t', { kind: 'title', name: 'a' })])).toEqual([
      'unresolved',
    ])
    expect(resolve(link('wiki', 'a.md'), [holder('p', {})])).toEqual(['unresolved'])
  })

  it('tells places here, URLs and what leads nowhere apart', () => {
    expect(resolve(link('link', undefined, ''), [])).toEqual(['here'])
    expect(resolve(link('link', undefined, 'https://example.org'), [])).toEqual(['outside'])
    expect(resolve(link('link', undefined, '../../x.md'), [])).toEqual(['unresolved'])
  })
})

describe('answeredNames', () => {
  it('is the other direction of wantedNames', () => {
    for (const wanted of ['a', 'a.md', 'guides/a']) {
      for (const { name } of wantedNames(link('link', wanted))) {
        expect(answeredNames('path', name)).toContain(wanted)
      }
    }
    expect(answeredNames('title', 'a.md')).toEqual(['a.md'])
  })
})
