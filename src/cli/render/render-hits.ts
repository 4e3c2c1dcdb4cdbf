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
  const facts = [text(hit['kind']), text(hit['scope']), text(hit['path']), text(hit['key'])].filter(
    Boolean,
  )
  const head = `${colours.bold(`${rank}.`)} ${colours.cyan(facts.join(' · '))} ${colours.dim(text(hit['id']))}`
  const body = wrap(text(hit['text']), columns - INDENT.length).map((line) => INDENT + line)
  const citations = records(hit['citations']).map(
    (citation) =>
      INDENT + colours.dim(toOneLine(describeCitation(citation), columns - INDENT.length)),
  )
  return [head, ...body, ...citations].join('\n')
}

function describeCitation(citation: Fields): string {
  const span = isRecord(citation['span'])
    ? `[${text(citation['span']['start'])}, ${text(citation['span']['end'])})`
    : text(citation['span'])
  const place = [
    text(citation['path']),
    `source ${text(citation['source_id'])}`,
    `revision ${text(citation['revision'])}`,
    span,
  ]
  return `↳ ${place.filter(Boolean).join(' ')} “${text(citation['quote'])}”`
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
