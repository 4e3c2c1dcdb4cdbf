import { describe, expect, it } from 'vitest'

import { findHeading } from '../../../../../src/planes/documents/links/find-heading.ts'

const sections = [
  { chunkId: '1', headingPath: ['Guide'] },
  { chunkId: '2', headingPath: ['Guide', 'Set up, quickly!'] },
  { chunkId: '3', headingPath: ['Guide', 'Notes'] },
  { chunkId: '4', headingPath: ['Annex'] },
  { chunkId: '5', headingPath: ['Annex', 'Notes'] },
  { chunkId: '6', headingPath: ['Größe des 東京-Turms'] },
]
const find = (kind: 'link' | 'wiki', anchor: string) => findHeading(sections, kind, anchor)?.chunkId

describe('findHeading', () => {
  it.each([
    ['guide', '1'],
    ['set-up-quickly', '2'],
    ['Set-Up-Quickly', '2'],
    ['notes', '3'],
    ['notes-1', '5'],
    ['gr%C3%B6%C3%9Fe-des-東京-turms', '6'],
    ['Set up, quickly!', '2'],
    ['notes-2', undefined],
    ['%zz', undefined],
  ])('finds the anchor %s of a link', (anchor, chunkId) => {
    expect(find('link', anchor)).toBe(chunkId)
  })

  it.each([
    ['Notes', '3'],
    ['Annex#Notes', '5'],
    ['annex#notes', '5'],
    ['Notes#Annex', undefined],
    ['notes-1', '5'],
  ])('finds the anchor %s of a wiki link', (anchor, chunkId) => {
    expect(find('wiki', anchor)).toBe(chunkId)
  })

  it('is not misled by headings named like members of objects', () => {
    const odd = ['constructor', '__proto__', 'toString'].map((heading, index) => ({
      chunkId: String(index),
      headingPath: [heading],
    }))
    expect(findHeading(odd, 'link', '__proto__')?.chunkId).toBe('1')
    expect(findHeading(odd, 'link', 'tostring')?.chunkId).toBe('2')
  })
})
