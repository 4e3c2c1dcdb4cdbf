import { z } from 'zod'

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u

/**
 * The name of an agent, user, session, run or model, as a platform calls it: any Unicode of 1 to 256
 * code units without control characters, kept exactly as given.
 */
export const NAME = z
  .string()
  .min(1)
  .max(256)
  .refine((name) => !CONTROL.test(name), 'Must not contain control characters')
  .refine((name) => name.trim() === name, 'Must not begin or end with white space')
  .refine((name) => name.isWellFormed(), 'Must not contain a lone surrogate')

/** A tenant's name, which appears in commands and configuration. */
export const TENANT_NAME = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,62}$/,
    'Expected 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit',
  )
