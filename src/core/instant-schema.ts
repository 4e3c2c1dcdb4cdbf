import { z } from 'zod'

import { type Instant, INSTANT_RULE, tryParseInstant } from './instant.ts'

/** An instant in the arguments of an operation; leaves the schema in canonical form. */
export const instantSchema = z
  .string()
  .transform((text, context): Instant => {
    const instant = tryParseInstant(text)
    if (instant !== undefined) return instant
    context.issues.push({ code: 'custom', message: INSTANT_RULE, input: text })
    return z.NEVER
  })
  .describe('ISO 8601 with a zone, such as 2026-11-30T08:15:00Z')
