import { describe, expect, it } from 'vitest'

import { moveSection } from '../../../../../src/planes/documents/edit/move-section.ts'
import type { EditedDocument } from '../../../../../src/planes/documents/edit/outline.ts'
import { edited, outcome } from './edited-text.ts'

const TEXT = '# Guide\n\nIntro.\n\n## A\n\na\n\n### A1\n\na1\n\n## B\n\nb\n'

function move(
  document: EditedDocument,
  id: string,
  place: 'before' | 'after' | 'into',
  beside: string,
) {
  return outcome(document, moveSection(document, id, { place, chunkId: beside }, 'line'))
}

describe('moving a section', () => {
  it('puts it before another with all it contains', () => {
    expect(move(edited(TEXT), '#B', 'before', '#A')).toEqual({
      text: '# Guide\n\nIntro.\n\n## B\n\nb\n## A\n\na\n\n### A1\n\na1\n\n',
      isAsMeant: true,
    })
    expect(move(edited(TEXT), '#A', 'after', '#B').text).toBe(
      '# Guide\n\nIntro.\n\n## B\n\nb\n## A\n\na\n\n### A1\n\na1\n\n',
    )
  })

  it('changes the marks of its headings to the new depth', () => {
    expect(move(edited(TEXT), '#A', 'into', '#B')).toEqual({
      text: '# Guide\n\nIntro.\n\n## B\n\nb\n### A\n\na\n\n#### A1\n\na1\n\n',
      isAsMeant: true,
    })
    expect(move(edited(TEXT), '#A1', 'after', '#Guide').text).toBe(
      '# Guide\n\nIntro.\n\n## A\n\na\n\n## B\n\nb\n# A1\n\na1\n\n',
    )
  })

  it.each([
    ['before', '#B'],
    ['into', '#Guide'],
  ] as const)('changes nothing when it stands there already (%s %s)', (place, beside) => {
    const id = place === 'into' ? '#B' : '#A'
    expect(move(edited(TEXT), id, place, beside).text).toBe(TEXT)
  })

  it('adds one line end, of the kind the document has, where the text had none at its end', () => {
    const document = edited('# A\r\n\r\na\r\n\r\n# B\r\n\r\nb')
    expect(move(document, '#B', 'before', '#A')).toEqual({
      text: '# B\r\n\r\nb\r\n# A\r\n\r\na\r\n\r\n',
      isAsMeant: true,
    })
  })

  it('leaves a byte order mark and front matter where they are', () => {
    const bom = edited('\ufeff# A\n\na\n\n# B\n\nb\n')
    expect(move(bom, '#A', 'after', '#B').text).toBe('\ufeff# B\n\nb\n# A\n\na\n\n')
    expect(move(bom, '#B', 'before', '#A').text).toBe('\ufeff# B\n\nb\n# A\n\na\n\n')
    const front = edited('---\ntitle: T\n---\n\n# A\n\n# B\n')
    expect(move(front, '#B', 'before', '#A').text).toBe('---\ntitle: T\n---\n\n# B\n# A\n\n')
  })

  it('keeps underlines for levels 1 and 2 and gives marks to deeper headings', () => {
    const document = edited('One\n===\n\nTwo\nlines #\n---\n\ntext\n\nThree\n-----\n\n# Four ##\n')
    expect(move(document, '#Three', 'after', '#One')).toEqual({
      text: 'One\n===\n\nTwo\nlines #\n---\n\ntext\n\nThree\n=====\n\n# Four ##\n',
      isAsMeant: true,
    })
    expect(move(document, '#Two\nlines #', 'into', '#Three')).toEqual({
      text: 'One\n===\n\nThree\n-----\n\n### Two lines \\#\n\ntext\n\n# Four ##\n',
      isAsMeant: false,
    })
    expect(move(document, '#Three', 'into', '#Two\nlines #').text).toBe(
      'One\n===\n\nTwo\nlines #\n---\n\ntext\n\n### Three\n\n# Four ##\n',
    )
  })

  it('changes closing marks that mirror the level, and no others', () => {
    const document = edited('# A #\n\n## Same ##  \n\n## Other #\n\n## C# #\n')
    const deeper = ['#Same', '#Other', '#C#'].map(
      (id) => move(document, id, 'after', '#A').text.split('\n').at(-3) ?? '',
    )
    expect(deeper).toEqual(['# Same #  ', '# Other #', ''])
  })

  it('refuses a heading below level 6', () => {
    const document = edited('# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6\n# X\n## Y\n')
    expect(() => move(document, '#X', 'into', '#5')).toThrow(
      expect.objectContaining({
        code: 'DOCUMENT_EDIT_REFUSED',
        details: { reason: 'heading_too_deep', chunk_id: '#Y' },
      }),
    )
  })

  it('refuses to put a section inside itself, and to move what is no section', () => {
    const document = edited(TEXT)
    expect(() => move(document, '#A', 'after', '#A1')).toThrow(
      expect.objectContaining({ details: { reason: 'into_itself', chunk_id: '#A' } }),
    )
    expect(() => move(document, '### A1\n\na1', 'after', '#B')).toThrow(
      expect.objectContaining({ code: 'DOCUMENT_EDIT_REFUSED' }),
    )
    expect(() => move(document, '#none', 'after', '#B')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    )
  })

  it('sees when an open block would take in what comes next, and that a blank line helps', () => {
    const html = edited('# A\n\na\n\n# B\n\n<div>b</div>')
    expect(move(html, '#B', 'before', '#A').isAsMeant).toBe(false)
    const withBlank = moveSection(html, '#B', { place: 'before', chunkId: '#A' }, 'blank')
    expect(outcome(html, withBlank)).toEqual({
      text: '# B\n\n<div>b</div>\n\n# A\n\na\n\n',
      isAsMeant: true,
    })
    const fence = edited('# A\n\na\n\n# B\n\n```\nnever closed\n')
    const joined = moveSection(fence, '#B', { place: 'before', chunkId: '#A' }, 'blank')
    expect(outcome(fence, joined).isAsMeant).toBe(false)
  })
})
