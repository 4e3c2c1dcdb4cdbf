// Writes every file that is derived from a definition in the source. With --check it writes nothing
// and fails, naming the files, when one is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { configurationPage } from './pages/configuration-page.ts'
import { errorsPage } from './pages/errors-page.ts'
import { operationsPage } from './pages/operations-page.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

const PAGES = {
  'docs/errors.md': errorsPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/operations.md': operationsPage,
} as const satisfies Record<string, () => string>

const isCheck = process.argv.includes('--check')
const stale: string[] = []
for (const [path, render] of Object.entries(PAGES)) {
  const text = render()
  const held = existsSync(root + path) ? readFileSync(root + path, 'utf8') : undefined
  if (held === text) continue
  stale.push(path)
  if (!isCheck) writeFileSync(root + path, text)
}

if (isCheck && stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run \`npm run generate\`.`)
  process.exitCode = 1
} else {
  console.log(stale.length === 0 ? 'Generated files are up to date.' : `Wrote ${stale.join(', ')}.`)
}
