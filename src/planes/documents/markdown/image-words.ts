import type { Nodes, Paragraph, RootContent } from 'mdast'

/** Longer HTML is not looked into; UTF-16 code units. */
const MAX_HTML_LENGTH = 10_000

const IMAGE_TAG = /<img\b/i
const CAPTION_TAG = /<figcaption\b[^>]*>([^]*?)<\/figcaption\s*>/gi
const WORDS_OF_TAG = /\b(?:alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi

/** True for a block that shows images and nothing else; badges, which are images in links, too. */
export function isImageBlock(node: RootContent): boolean {
  if (node.type === 'html') {
    if (node.value.length > MAX_HTML_LENGTH || !IMAGE_TAG.test(node.value)) return false
    return textOf(node.value.replace(CAPTION_TAG, '')) === ''
  }
  return (
    node.type === 'paragraph' &&
    node.children.some(isPicture) &&
    node.children.every(isPictureOrSpace)
  )
}

/** A paragraph in emphasis right after an image says what it shows. */
export function isCaption(node: RootContent): node is Paragraph {
  if (node.type !== 'paragraph' || node.children.length !== 1) return false
  const type = node.children[0]?.type
  return type === 'emphasis' || type === 'strong'
}

/** What a person would search an image for: alternative text, title, caption, else the name of its file. */
export function imageWords(node: RootContent): readonly string[] {
  if (node.type === 'html') return htmlWords(node.value)
  return 'children' in node ? node.children.flatMap(pictureWords) : []
}

function pictureWords(node: Nodes): readonly string[] {
  if (node.type === 'link' || node.type === 'linkReference') {
    return node.children.flatMap(pictureWords)
  }
  if (node.type === 'imageReference') return present([node.alt])
  if (node.type !== 'image') return []
  const words = present([node.alt, node.title])
  return words.length > 0 ? words : present([fileName(node.url)])
}

function isPicture(node: Nodes): boolean {
  if (node.type === 'link' || node.type === 'linkReference') {
    return node.children.length > 0 && node.children.every(isPicture)
  }
  return node.type === 'image' || node.type === 'imageReference'
}

function isPictureOrSpace(node: Nodes): boolean {
  return isPicture(node) || node.type === 'break' || isBlank(node)
}

function isBlank(node: Nodes): boolean {
  return node.type === 'text' && node.value.trim() === ''
}

function htmlWords(html: string): readonly string[] {
  const attributes = [...html.matchAll(WORDS_OF_TAG)].map(([, double, single]) => double ?? single)
  const captions = [...html.matchAll(CAPTION_TAG)].map(([, caption]) => textOf(caption ?? ''))
  return present([...attributes, ...captions])
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function fileName(url: string): string {
  if (/^data:/i.test(url)) return ''
  const [path = ''] = url.split(/[?#]/)
  return (path.split('/').at(-1) ?? '').replace(/\.[a-z]{2,5}$/i, '')
}

function present(words: readonly (string | null | undefined)[]): readonly string[] {
  return words.filter((word) => typeof word === 'string').filter((word) => word.trim() !== '')
}
