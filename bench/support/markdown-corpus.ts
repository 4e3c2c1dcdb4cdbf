import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Markdown that nobody here wrote: the README files of the installed packages, whose versions the lock
 * file fixes, and this project's own pages. In the order of their paths.
 */
export async function readMarkdownCorpus(): Promise<readonly string[]> {
  const names = await readdir(join(ROOT, 'node_modules'), { recursive: true })
  const docs = await readdir(join(ROOT, 'docs'), { recursive: true })
  const paths = [
    ...names.filter((name) => /\.md$/i.test(name)).map((name) => join('node_modules', name)),
    ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
  ].sort()
  const texts = await Promise.all(paths.map((path) => readFile(join(ROOT, path), 'utf8')))
  return texts.map((text) => text.toWellFormed().replaceAll('\0', '')).filter((text) => text !== '')
}

const WORDS =
  'the crate goes to dock four before noon and every label names its owner so that nobody has to ask twice'.split(
    ' ',
  )

/** A document of about `length` UTF-16 code units: sections, paragraphs, lists, tables and code, the same for the same seed. */
export function makeDocument(seed: number, length: number): string {
  const random = makeRandom(seed)
  const sentence = (words: number): string =>
    Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
  const parts: string[] = [`# Document ${seed}\n`]
  let size = 0
  for (let section = 1; size < length; section += 1) {
    const table = `| name | value |\n| --- | --- |\n| ${sentence(2)} | ${Math.floor(random() * 1e6)} |\n`
    const list = Array.from({ length: 4 }, () => `- ${sentence(8)}`).join('\n')
    const part = [
      `## Section ${section} ${sentence(2)}`,
      `${sentence(60)}.`,
      `${sentence(40)}. ${sentence(20)}.`,
      list,
      section % 3 === 0 ? table : `\`\`\`ts\nconst value = ${section}\n\`\`\``,
      '',
    ].join('\n\n')
    parts.push(part)
    size += part.length
  }
  return parts.join('\n')
}

/** Park and Miller's minimal standard generator (CACM 31:10, 1988): values in (0, 1). */
function makeRandom(seed: number): () => number {
  let state = (seed % 2147483646) + 1
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
