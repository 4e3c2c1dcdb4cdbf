import { z } from 'zod'

import { findQuote, getPassage, listParts, quoteOf } from '../../evidence/index.ts'
import { getScopeKind, SCOPE_KINDS } from '../../identity/scope.ts'
import { defineRead } from '../../operation/definition.ts'
import {
  EVIDENCE_SCOPES,
  passageFields,
  quoteFields,
  spanSchema,
  toPassageName,
} from './evidence-fields.ts'

export const evidenceLocateOperation = defineRead({
  name: 'evidence.locate',
  summary: 'Find where a quote stands in a source: its exact span, hash and chunk',
  audience: 'agent',
  scopes: EVIDENCE_SCOPES,
  input: z.strictObject({ ...passageFields, ...quoteFields }),
  output: z.strictObject({
    source_id: z.uuid(),
    scope: z.enum(SCOPE_KINDS),
    revision: z.int(),
    chunk_id: z.uuid().describe('The leaf chunk or turn that it starts in'),
    span: spanSchema,
    hash: z.string().describe('SHA-256 of the text of the span as UTF-8'),
    matched: z
      .enum(['exact', 'normalised'])
      .describe('normalised: white space, quotation marks or forms of characters differ'),
    quote: z.string().describe('As it stands there'),
  }),
  example: {
    source_id: '0b6f0f5e-3d5e-4a55-9d2c-0d6a3f1c9a10',
    quote: 'The blue crate goes to dock 4.',
  },
  positional: ['source_id', 'quote'],
  handle: (call, input) =>
    call.readTransaction(async (tx) => {
      const passage = await getPassage(tx, call.read, toPassageName(input))
      const { quote, before, after } = input
      const parts = await listParts(tx, call.read, passage)
      const { span, chunkId, how } = await findQuote(passage, parts, { quote, before, after })
      return {
        source_id: passage.source.sourceId,
        scope: getScopeKind(call.read, passage.source.scopeId),
        revision: passage.revision,
        chunk_id: chunkId,
        span: { start: span.start, end: span.end },
        hash: span.hash,
        matched: how === 'normalised' ? how : ('exact' as const),
        quote: quoteOf(passage.text, span),
      }
    }),
})
