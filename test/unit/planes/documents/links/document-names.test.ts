import { describe, expect, it } from 'vitest'

import { namesOf } from '../../../../../src/planes/documents/links/document-names.ts'

const named = (document: Parameters<typeof namesOf>[0]) =>
  namesOf(document).map(({ kind, name }) => `${kind}: ${name}`)

describe('namesOf', () => {
  it('names a document by path, title, aliases and the end of its path', () => {
    const fields = { aliases: ['Set Up', 'set  up', 7], alias: 'left out' }
    expect(named({ path: 'Guides/Setup.MD', title: 'Setting Up', fields })).toEqual([
      'path: Guides/Setup.MD',
      'title: setting up',
      'alias: set up',
      'segment: setup',
      'segment: guides/setup',
    ])
  })

  it('takes one alias as a text, and no names that are only white space', () => {
    expect(named({ path: 'a.md', title: ' \u3000 ', fields: { alias: 'First' } })).toEqual([
      'path: a.md',
      'alias: first',
      'segment: a',
    ])
  })

  it('keeps names of any length in bounds and well-formed', () => {
    const [, title] = namesOf({ path: 'a.md', title: `${'x'.repeat(511)}😀${'y'.repeat(5000)}` })
    expect(title?.name.length).toBe(512)
    expect(title?.name.isWellFormed()).toBe(true)
  })
})
