import { z } from 'zod'

import { linkKindSchema, spanSchema } from '../wire.ts'
import type { StoredLink } from './resolve-link.ts'

/** A link as it is written, on the wire. */
export const linkFields = {
  kind: linkKindSchema,
  target: z.string().describe('As it is written'),
  anchor: z.string().optional().describe('After the #'),
  label: z.string().optional().describe('The words of the link'),
  span: spanSchema,
}

export function linkToWire({ kind, target, anchor, label, span }: StoredLink) {
  return {
    kind,
    target,
    ...(anchor !== undefined && { anchor }),
    ...(label !== undefined && { label }),
    span: { ...span },
  }
}
