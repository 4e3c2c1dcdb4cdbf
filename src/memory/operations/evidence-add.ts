import { z } from 'zod'

import { addEvidence, findEvidence, MAX_CONFIDENCE, STANCES } from '../../evidence/index.ts'
import { getScopeKind, SCOPE_KINDS } from '../../identity/scope.ts'
import { defineWrite } from '../../operation/definition.ts'
import {
  EVIDENCE_SCOPES,
  passageFields,
  quoteFields,
  spanSchema,
  toPassageName,
} from './evidence-fields.ts'

const Output = z.strictObject({
  evidence_id: z.uuid(),
  scope: z.enum(SCOPE_KINDS),
  source_id: z.uuid(),
  revision: z.int(),
  chunk_id: z.uuid().describe('The leaf chunk or turn that the span starts in'),
  span: spanSchema,
  hash: z.string().describe('SHA-256 of the text of the span as UTF-8'),
  matched: z.enum(['exact', 'normalised', 'span']).describe('How the place was found'),
  stance: z.enum(STANCES),
  confidence: z.int(),
})

const Receipt = z.object({
  evidence_id: z.string(),
  matched: z.enum(['exact', 'normalised', 'span']),
})

export const evidenceAddOperation = defineWrite({
  name: 'evidence.add',
  summary: 'Cite the exact span of a source that supports or contradicts something',
  audience: 'agent',
  scopes: EVIDENCE_SCOPES,
  idempotent: false,
  destructive: false,
  input: z.strictObject({
    ...passageFields,
    ...quoteFields,
    quote: quoteFields.quote.optional(),
    span: spanSchema.optional().describe('Instead of the quote'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .optional()
      .describe('SHA-256 that the text of the span must have'),
    stance: z.enum(STANCES).optional().describe('Default: supports'),
    confidence: z
      .int()
      .min(0)
      .max(MAX_CONFIDENCE)
      .optional()
      .describe(`Default: ${MAX_CONFIDENCE}`),
    locator: z
      .strictObject({
        line: z.int().min(1).optional(),
        url: z.url().max(2048).optional(),
        message_id: z.string().min(1).max(512).optional(),
      })
      .optional()
      .describe('How a person finds the place outside of Heddle'),
  }),
  output: Output,
  example: {
    source_id: '0b6f0f5e-3d5e-4a55-9d2c-0d6a3f1c9a10',
    quote: 'The blue crate goes to dock 4.',
    stance: 'supports',
    confidence: 9000,
  },
  positional: ['source_id', 'quote'],
  handle: (call, input) => {
    const { quote, before, after, span, hash, locator } = input
    const stance = input.stance ?? 'supports'
    const confidence = input.confidence ?? MAX_CONFIDENCE
    return call.write(async (tx) => {
      const evidenceId = call.newId()
      const scopes = { target: call.target, read: call.read }
      const quotation = { quote, before, after, span, hash }
      const judged = { evidenceId, stance, confidence, locator }
      const added = await addEvidence(tx, scopes, {
        ...toPassageName(input),
        ...quotation,
        ...judged,
      })
      return {
        evidence_id: evidenceId,
        scope: call.target.kind,
        source_id: added.sourceId,
        revision: added.revision,
        chunk_id: added.chunkId,
        span: { start: added.span.start, end: added.span.end },
        hash: added.span.hash,
        matched: added.how,
        stance,
        confidence,
      }
    })
  },
  toReceipt: ({ evidence_id, matched }) => ({ evidence_id, matched }),
  fromReceipt: async (tx, call, receipt) => {
    const { evidence_id, matched } = Receipt.parse(receipt)
    const held = await findEvidence(tx, call.read, evidence_id)
    if (held === undefined || held.erasedAt !== undefined) return undefined
    const { span } = held
    return {
      evidence_id,
      scope: getScopeKind(call.read, held.scopeId),
      source_id: held.sourceId,
      revision: held.revision,
      chunk_id: held.chunkId,
      span: { start: span.start, end: span.end },
      hash: span.hash,
      matched,
      stance: held.stance,
      confidence: held.confidence,
    }
  },
})
