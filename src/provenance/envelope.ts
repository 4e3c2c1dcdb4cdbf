import { z } from 'zod'

const ORIGINS = ['agent', 'operator', 'consolidator', 'harvest', 'import'] as const

/** Who caused a record, as replies show it. */
export const envelopeSchema = z.strictObject({
  agent: z.string(),
  user: z.string().optional(),
  session: z.string().optional(),
  run_id: z.string().optional(),
  model: z.string().optional(),
  compaction_generation: z.int().optional(),
  origin: z.enum(ORIGINS),
})

export type Envelope = z.output<typeof envelopeSchema>

/** The envelope columns of a row, to be spread into the schema of that row. */
export const ENVELOPE_ROW = {
  agent: z.string(),
  user_name: z.string().nullable(),
  session: z.string().nullable(),
  run_id: z.string().nullable(),
  model: z.string().nullable(),
  compaction_generation: z.number().nullable(),
  origin: z.enum(ORIGINS),
} as const

type EnvelopeRow = z.output<z.ZodObject<typeof ENVELOPE_ROW>>

/** Reads the envelope columns of a row; what is null stays away. */
export function toEnvelope(row: EnvelopeRow): Envelope {
  return {
    agent: row.agent,
    ...(row.user_name !== null && { user: row.user_name }),
    ...(row.session !== null && { session: row.session }),
    ...(row.run_id !== null && { run_id: row.run_id }),
    ...(row.model !== null && { model: row.model }),
    ...(row.compaction_generation !== null && { compaction_generation: row.compaction_generation }),
    origin: row.origin,
  }
}
