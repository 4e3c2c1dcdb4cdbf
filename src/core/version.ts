import { readFileSync } from 'node:fs'

import { z } from 'zod'

const Manifest = z.object({ version: z.string() })

/** The version of this package, as its `package.json` (two folders up, in `src` as in `dist`) says. */
export const VERSION: string = Manifest.parse(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
).version
