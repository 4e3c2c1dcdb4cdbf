import { describe, expect, it } from 'vitest'

import { isLeaf } from '../../../../src/planes/documents/document.ts'
import { diagramLabels } from '../../../../src/planes/documents/markdown/diagram-labels.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'

describe('labels of a diagram', () => {
  it.each([
    [
      'flowchart',
      'flowchart LR\n  %% no\n  A[Crate arrives] -->|is blue| B{Which dock?}\n  B -- yes --> C([Dock 4])\n' +
        '  B -. never .-> D[("Store<br/>room")]\n  style A fill:#f9f\n  client --> server\n  E["a --> b"]:::big',
      'Crate arrives,is blue,Which dock?,yes,Dock 4,never,Store room,client,server,a -- b',
    ],
    [
      'sequence',
      'sequenceDiagram\n  autonumber\n  participant I as Ines\n  I->>+B: Move it at 10:30\n  B-->>-I: Done\n' +
        '  Note over I,B: They wave\n  alt all well\n  end',
      'I Ines,I,B,Move it at 10:30,Done,I,B,They wave,all well',
    ],
    ['entities', 'erDiagram\n  CRATE ||--o{ DOCK : "goes to"', 'CRATE,DOCK,goes to'],
    [
      'states',
      'stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy : job comes',
      'Idle,Busy,job comes',
    ],
    ['pie', 'pie title Pets\n  "Dogs" : 386\n  "Cats" : 85', 'Pets,Dogs,Cats'],
    ['mind map', 'mindmap\n  root((Memory))\n    Planes\n    ::icon(fa fa-book)', 'Memory,Planes'],
    ['title', '---\ntitle: Dock flow\n---\ngraph TD\n  a --> b', 'Dock flow,a,b'],
    ['unknown', 'strangeDiagram\n  Some words -> others', 'strangeDiagram,Some words,others'],
  ])('%s', (_, code, labels) => {
    expect(diagramLabels(code).join(',')).toBe(labels)
  })

  it('are what a diagram is found by', () => {
    const text = '# Flow\n\n```mermaid\nflowchart LR\n  A[Crate] --> B[Dock]\n```\n\nText.\n'
    const leaf = parseMarkdownDocument(text).chunks.find(({ type }) => type === 'diagram')
    expect(leaf?.searchText).toBe('Crate\nDock')
  })
})

function imagesOf(text: string) {
  return parseMarkdownDocument(text)
    .chunks.filter(isLeaf)
    .map(({ type, searchText, isRecalled }) => [type, searchText, isRecalled])
}

describe('words of an image', () => {
  it.each([
    ['![Map of the yard](yard.png "Seen from above")\n', 'Map of the yard\nSeen from above'],
    ['![Map](yard.png)\n\n*The yard in 2024.*\n', 'Map\nThe yard in 2024.'],
    ['![](img/dock-plan.png?v=2)\n', 'dock-plan'],
    ['[![Build](b.svg)](ci) [![Docs](d.svg)](docs)\n', 'Build\nDocs'],
    ['![Map][m]\n\n[m]: yard.png\n', undefined],
    [
      '<figure>\n<img src="a.png" alt="Map">\n<figcaption>The <b>yard</b></figcaption>\n</figure>\n',
      'Map\nThe yard',
    ],
  ])('%j', (text, words) => {
    const [first] = imagesOf(text)
    expect(first).toEqual(
      words === undefined ? ['paragraph', undefined, true] : ['image', words, true],
    )
  })

  it('leave prose around an image what it is', () => {
    expect(imagesOf('Words ![Map](yard.png) and words.\n')).toEqual([
      ['paragraph', undefined, true],
    ])
    expect(imagesOf('<p>Words <img alt="x"></p>\n')).toEqual([['html', undefined, true]])
  })

  it('stand for an image that is its own data, once', () => {
    const leaves = imagesOf(`![Map](data:image/png;base64,${'QUJD'.repeat(2000)})\n`)
    expect(leaves.length).toBeGreaterThan(1)
    expect(leaves[0]).toEqual(['image', 'Map', true])
    expect(leaves.slice(1).every(([, , isRecalled]) => isRecalled === false)).toBe(true)
  })
})
