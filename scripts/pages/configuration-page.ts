import type { z } from 'zod'

import { SETTINGS } from '../../src/config/settings.ts'
import { GRANTS } from '../../src/identity/grants.ts'
import { generatedHeader, markdownTable } from './markdown.ts'

export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, schema]) => [
    `\`${name}\``,
    defaultOf(schema),
    schema.description ?? '',
  ])
  return `${generatedHeader('Configuration', '`src/config/settings.ts`')}
Settings come from the environment and from a YAML file that \`HEDDLE_CONFIG\` names, with the same
names; the environment wins. An unknown name is an error. Nothing else is read from the environment.

${markdownTable(['setting', 'default', 'meaning'], rows)}

Grants: ${GRANTS.map((grant) => `\`${grant}\``).join(', ')}.
`
}

function defaultOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined)
  if (!parsed.success || parsed.data === undefined) return ''
  const value: unknown = parsed.data
  return `\`${Array.isArray(value) ? value.join(',') : JSON.stringify(value)}\``
}
