import { createColors } from 'picocolors'

import type { DemoReport } from './demo.ts'

type Colors = ReturnType<typeof createColors>

/** The report for people. */
export function renderDemo(report: DemoReport, { isColoured }: { isColoured: boolean }): string {
  const colors = createColors(isColoured)
  const { documents, conversation, kv, recalls, seconds, engine } = report
  return [
    '',
    `${colors.bold('documents')}     ${documents.files} files, ${documents.chunks} chunks with exact spans`,
    `${colors.bold('conversation')}  ${conversation.turns} turns; sent again: ${conversation.added_again} added`,
    `${colors.bold('key/value')}     ${JSON.stringify(kv.written)}, counter ${kv.counter}, ${kv.history} revisions`,
    ...recalls.map((recall) => renderRecall(recall, colors)),
    '',
    colors.green(`Done in ${seconds} s on ${engine}; nothing was left behind.`),
  ].join('\n')
}

function renderRecall(recall: DemoReport['recalls'][number], colors: Colors): string {
  return [
    '',
    colors.cyan(`? ${recall.query}`),
    ...recall.hits.map((hit, index) => renderHit(hit, index + 1, colors)),
    ...recall.gaps.map((gap) => colors.yellow(`  gap: ${gap.message}`)),
    colors.dim(`  ran: ${recall.retrievers.map(renderRetriever).join(', ')}`),
    colors.dim(`  filters: ${renderFilters(recall)}`),
  ].join('\n')
}

type Hit = DemoReport['recalls'][number]['hits'][number]

function renderHit(hit: Hit, place: number, colors: Colors): string {
  const [citation] = hit.citations
  const where =
    hit.kind === 'kv' ? `entry ${hit.title ?? ''}` : (citation?.path ?? hit.author ?? hit.kind)
  const span = citation?.span === undefined ? '' : ` [${citation.span.start}, ${citation.span.end})`
  const revision = citation === undefined ? '' : ` revision ${citation.revision}`
  const source =
    citation?.source_id === undefined ? '' : ` source ${citation.source_id.slice(0, 8)}…`
  const quote = (citation?.quote ?? hit.text).replace(/\s+/g, ' ').trim()
  return [
    `  ${place}. ${quote.length > 150 ? `${quote.slice(0, 150)}…` : quote}`,
    colors.dim(`     ${where}${source}${revision}${span}`),
  ].join('\n')
}

function renderRetriever({
  name,
  ran,
  candidates,
  ms,
  why_not,
}: DemoReport['recalls'][number]['retrievers'][number]): string {
  return ran
    ? `${name} (${candidates} candidates, ${Math.round(ms)} ms)`
    : `not ${name} (${why_not ?? ''})`
}

function renderFilters({ filters_applied }: DemoReport['recalls'][number]): string {
  const names = Object.entries(filters_applied).map(
    ([name, applied]) => `${name} ${applied ? 'applied' : 'NOT applied'}`,
  )
  return names.length === 0 ? 'none asked for' : names.join(', ')
}
