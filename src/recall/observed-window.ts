import { z } from 'zod'

import { instantSchema } from '../core/instant-schema.ts'

/** What the arguments say about the time of observation; a window that narrows nothing is refused. */
export const observedSchema = z
  .strictObject({
    from: instantSchema.optional(),
    to: instantSchema.optional().describe('The first instant after the window'),
    missing: z
      .enum(['include', 'exclude'])
      .optional()
      .describe('What has no time; default exclude; exclude alone: all that has one'),
  })
  .refine(({ from, to, missing }) => (from ?? to) !== undefined || missing === 'exclude', {
    error: 'Expected from, to or "missing": "exclude"; this would narrow nothing',
    params: { code: 'window_empty' },
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['to'],
    error: 'Expected an instant after from',
    params: { code: 'window_not_after_from' },
  })
  .transform(({ missing, ...window }) => ({ ...window, missing: missing ?? 'exclude' }))
