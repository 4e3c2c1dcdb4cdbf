import { readFileSync } from 'node:fs'

import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'

import { countTokens } from '../../../src/evidence/index.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/markdown/${name}`, import.meta.url), 'utf8')

it.each(['runbook.md', 'languages.md', 'mixed.md'])('counts %s at or above o200k_base', (name) => {
  for (const paragraph of fixture(name).split(/\n\s*\n/)) {
    expect(countTokens(paragraph), paragraph).toBeGreaterThanOrEqual(countO200k(paragraph))
  }
})
