import type { Output } from '../output.ts'
import { toOneLine, wrap } from '../printable.ts'
import { isRecord } from './render-result.ts'

const INDENT = '   '

type Fields = Readonly<Record<string, unknown>>

/** The hits of a recall, each with its text wrapped to the terminal and where it comes from; then what ran and what is missing. */
export function renderHits(pack: Fields, output: Pick<Output, 'colours' | 'columns'>): string {
  const hits = records(pack['hits'])
  const blocks = hits.map((hit, index) => renderHit(hit, index + 1, output))
  if (hits.length === 0) blocks.push('Nothing found.')
  blocks.push(...renderAccount(pack, output))
  return blocks.join('\n\n')
}

function renderHit(
  hit: Fields,
  rank: number,
  { colours, columns }: Pick<Output, 'colours' | 'columns'>,
): string {
  const width = columns - INDENT.length
  const facts = [text(hit['kind']), text(hit['scope']), text(hit['title'])].filter(Boolean)
  const number = `${rank}.`.padEnd(INDENT.length)
  const head = `${colours.bold(number)}${colours.cyan(toOneLine(facts.join(' · '), width))}`
  const body = wrap(text(hit['text']), width)
  const citations = records(hit['citations']).flatMap((citation) =>
    describeCitation(citation, text(hit['text'])).flatMap((line) => wrap(line, width)),
  )
  return [
    head,
    ...body.map((line) => INDENT + line),
    ...citations.map((line) => INDENT + colours.dim(line)),
  ].join('\n')
}

/** Where the hit comes from; the quote too, when the text above does not hold it anyway. */
function describeCitation(citation: Fields, shown: string): readonly string[] {
  const { path, source_id: source, entry_id: entry, revision, span, quote } = citation
  const place = [
    ...(path === undefined ? [] : [text(path)]),
    ...(source === undefined ? [] : [`source ${text(source)}`]),
    ...(entry === undefined ? [] : [`entry ${text(entry)}`]),
    `revision ${text(revision)}`,
    ...(isRecord(span) ? [`[${text(span['start'])}, ${text(span['end'])})`] : []),
  ]
  const isShown = shown.includes(text(quote))
  return [`↳ ${place.join(' ')}`, ...(isShown ? [] : [`  “${text(quote)}”`])]
}

function renderAccount(pack: Fields, { colours }: Pick<Output, 'colours'>): string[] {
  const lines = [
    ...records(pack['gaps']).map((gap) =>
      colours.yellow(`gap ${text(gap['code'])}: ${text(gap['message'])}`),
    ),
    ...records(pack['retrievers']).map((one) => colours.dim(describeRetriever(one))),
  ]
  return lines.length > 0 ? [lines.join('\n')] : []
}

function describeRetriever(retriever: Fields): string {
  const name = text(retriever['name'])
  if (retriever['ran'] !== true) return `${name} did not run: ${text(retriever['why_not'])}`
  return `${name}: ${text(retriever['candidates'])} candidates in ${text(retriever['ms'])} ms`
}

function records(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function text(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
