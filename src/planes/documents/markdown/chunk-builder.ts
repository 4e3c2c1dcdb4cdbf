import type { RootContent } from 'mdast'
import type { ContainerDirective } from 'mdast-util-directive'

import { countTokens } from '../../../evidence/index.ts'
import type { ChunkTypes } from '../chunk-types.ts'
import { type Atom, type LeafType, leafType, toAtoms } from './atoms.ts'
import { type Directive, isClosed, isLabel, readDirective } from './directives.ts'
import { isCaption } from './image-words.ts'
import { assertWithin, clipText, MAX_HEADING_LENGTH } from './limits.ts'
import { type MarkdownTree, plainText, spanOf } from './parse-markdown.ts'

/** A chunk whose end is not known yet. */
export interface Draft {
  readonly parent?: number
  readonly type: 'section' | LeafType
  readonly level?: number
  readonly headingPath: readonly string[]
  readonly start: number
  /** The one around a leaf. */
  readonly directive?: Directive
  /** Of a leaf that is a diagram or an image: what it shows in words. */
  readonly words?: readonly string[]
}

interface OpenSection {
  readonly index: number
  readonly level: number
}

interface OpenLeaf {
  readonly start: number
  readonly types: Set<LeafType>
  readonly words: Set<string>
  end: number
  tokens: number
  isAlone: boolean
}

/** State: the sections that are open, from the outermost, the directive around, and the leaf that still takes atoms. */
export class ChunkBuilder {
  readonly #tree: MarkdownTree
  readonly #maxTokens: number
  readonly #types: ChunkTypes
  readonly #drafts: Draft[] = []
  readonly #sections: OpenSection[] = []
  #path: readonly string[] = []
  #directive: Directive | undefined
  #leaf: OpenLeaf | undefined
  /** End of the last atom: what follows starts there or later. */
  #end = 0

  constructor(tree: MarkdownTree, maxTokens: number, types: ChunkTypes) {
    this.#tree = tree
    this.#maxTokens = maxTokens
    this.#types = types
  }

  addAll(nodes: readonly RootContent[]): void {
    let before: RootContent | undefined
    for (const node of nodes) {
      this.#add(node, before)
      before = node
    }
  }

  finish(): readonly Draft[] {
    this.#closeLeaf()
    return this.#drafts
  }

  #add(node: RootContent, before: RootContent | undefined): void {
    if (node.type === 'containerDirective') {
      this.#addDirective(node)
      return
    }
    // Inside a directive a heading divides nothing: the directive is one thing.
    if (node.type === 'heading' && this.#directive === undefined) this.#openSection(node)
    const isOfImage = before !== undefined && leafType(before) === 'image' && isCaption(node)
    if (isOfImage) this.#addAtoms(captionAtoms(this.#tree, node, this.#maxTokens))
    else this.#addAtoms(toAtoms(this.#tree, node, this.#maxTokens))
  }

  #addDirective(node: ContainerDirective): void {
    const outer = this.#directive
    const isDirective = isClosed(this.#tree, node)
    if (isDirective) {
      this.#closeLeaf()
      this.#directive = readDirective(node, this.#types, outer)
    }
    this.#addAtoms(this.#fenceAtoms(node))
    this.addAll(node.children.filter((child) => !isLabel(child)))
    if (isDirective) {
      this.#closeLeaf()
      this.#directive = outer
      this.#end = spanOf(this.#tree, node).end
    }
  }

  /** The opening line; like a heading it goes with what follows. */
  #fenceAtoms(node: ContainerDirective): readonly Atom[] {
    const { text } = this.#tree
    const { start } = spanOf(this.#tree, node)
    const lineEnd = start + (/^[^\r\n]*/.exec(text.slice(start, start + 10_000))?.[0].length ?? 0)
    const tokens = countTokens(text.slice(start, lineEnd))
    return [{ start, end: lineEnd, type: 'heading', tokens, isAlone: false }]
  }

  #addAtoms(atoms: readonly Atom[]): void {
    for (const [at, atom] of atoms.entries()) {
      const start = Math.min(Math.max(atom.start, this.#end), atom.end)
      this.#addAtom({ ...atom, start }, at === 0)
    }
  }

  #openSection(node: RootContent & { readonly depth: number }): void {
    this.#closeLeaf()
    const level = node.depth
    while ((this.#sections.at(-1)?.level ?? 0) >= level) {
      this.#sections.pop()
      this.#path = this.#path.slice(0, -1)
    }
    this.#path = [...this.#path, clipText(plainText(node).trim(), MAX_HEADING_LENGTH)]
    const start = this.#startOf(spanOf(this.#tree, node).start)
    this.#sections.push({ index: this.#drafts.length, level })
    this.#push(this.#draft('section', start, this.#sections.at(-2)?.index, level))
  }

  #addAtom(atom: Atom, isFirstOfBlock: boolean): void {
    const { text } = this.#tree
    const leaf = this.#leaf
    if (leaf !== undefined && this.#takes(leaf, atom, isFirstOfBlock)) {
      leaf.tokens += countTokens(text.slice(leaf.end, atom.start)) + atom.tokens
      leaf.types.add(atom.type)
      leaf.isAlone ||= atom.isAlone
      leaf.end = atom.end
      for (const word of atom.words ?? []) leaf.words.add(word)
    } else {
      this.#closeLeaf()
      this.#leaf = this.#openLeaf(atom)
    }
    this.#end = atom.end
  }

  #openLeaf(atom: Atom): OpenLeaf {
    const start = this.#startOf(atom.start)
    return {
      start,
      end: atom.end,
      types: new Set([atom.type]),
      words: new Set(atom.words),
      tokens: countTokens(this.#tree.text.slice(start, atom.start)) + atom.tokens,
      isAlone: atom.isAlone,
    }
  }

  #takes(leaf: OpenLeaf, atom: Atom, isFirstOfBlock: boolean): boolean {
    const isHeadingOnly = leaf.types.size === 1 && leaf.types.has('heading')
    if (isFirstOfBlock && !isHeadingOnly && (atom.isAlone || leaf.isAlone)) return false
    const gap = this.#tree.text.slice(leaf.end, atom.start)
    return leaf.tokens + countTokens(gap) + atom.tokens <= this.#maxTokens
  }

  #closeLeaf(): void {
    const leaf = this.#leaf
    if (leaf === undefined) return
    const type = leafTypeOf(leaf.types)
    const draft = this.#draft(type, leaf.start, this.#sections.at(-1)?.index)
    const isShown = type === 'diagram' || type === 'image'
    this.#push({
      ...draft,
      ...(this.#directive !== undefined && { directive: this.#directive }),
      ...(isShown && { words: [...leaf.words] }),
    })
    this.#leaf = undefined
  }

  #push(draft: Draft): void {
    this.#drafts.push(draft)
    assertWithin('chunks', this.#drafts.length)
  }

  #draft(type: Draft['type'], start: number, parent?: number, level?: number): Draft {
    return {
      type,
      start,
      headingPath: this.#path,
      ...(parent !== undefined && { parent }),
      ...(level !== undefined && { level }),
    }
  }

  /** Takes in the indentation and markers before a place, but nothing of what came before; the first chunk starts the text. */
  #startOf(offset: number): number {
    if (this.#end === 0 && this.#drafts.every(({ level }) => level !== undefined)) return 0
    const { text } = this.#tree
    // The parser lets an underlined heading begin where the definitions right before it begin.
    let start = Math.max(offset, this.#end)
    while (start > this.#end && !isLineEnd(text.charCodeAt(start - 1))) start -= 1
    return start
  }
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d
}

/** The caption of an image is an image too: they stay one chunk, and are found by its words. */
function captionAtoms(tree: MarkdownTree, node: RootContent, maxTokens: number): readonly Atom[] {
  const words = [plainText(node).trim()]
  return toAtoms(tree, node, maxTokens, 'image').map((atom) => ({ ...atom, words }))
}

/** A list stays a list with its heading; what is mixed counts as paragraphs. */
function leafTypeOf(types: ReadonlySet<LeafType>): LeafType {
  const [only, other] = [...types].filter((type) => type !== 'heading')
  if (other !== undefined) return 'paragraph'
  return only ?? 'heading'
}
