import { defineConfig } from 'vitest/config'

const MINUTE_MS = 60_000

export default defineConfig({
  test: {
    pool: 'forks',
    // Two: the smallest machine that runs this has two cores, and the engines need their share.
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,types}/**/*.test.ts'],
          testTimeout: MINUTE_MS / 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: ['test/{contract,integration,e2e,pins,regressions}/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: MINUTE_MS,
          hookTimeout: 2 * MINUTE_MS,
        },
      },
    ],
  },
})
