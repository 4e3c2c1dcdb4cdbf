import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript'
import importX from 'eslint-plugin-import-x'
import nodePlugin from 'eslint-plugin-n'
import simpleImportSort from 'eslint-plugin-simple-import-sort'
import tseslint from 'typescript-eslint'

/**
 * The import order of the rooms: a room may import from the rooms before it (and from itself).
 * Rooms of one row may import each other only where a row says so.
 */
const LAYERS = [
  ['core'],
  ['identity', 'provenance', 'engines'],
  ['operation'],
  ['config', 'evidence', 'items', 'embedding'],
  ['planes', 'recall', 'ontology'],
  ['memory'],
  ['harvest'],
  ['http', 'mcp', 'cli'],
  ['app'],
]

/** Rows whose rooms share types with each other. */
const OPEN_ROWS = new Set(['identity', 'evidence'])

function layerZones() {
  const zones = []
  for (const [row, rooms] of LAYERS.entries()) {
    const later = LAYERS.slice(row + 1).flat()
    for (const room of rooms) {
      const neighbours =
        OPEN_ROWS.has(rooms[0]) || rooms.includes('config')
          ? []
          : rooms.filter((name) => name !== room)
      for (const forbidden of [...later, ...neighbours]) {
        zones.push({
          target: `./src/${room}`,
          from: `./src/${forbidden}`,
          message: `src/${room} must not import src/${forbidden}: see the import order in CONTRIBUTING.md.`,
        })
      }
    }
  }
  const planes = ['kv', 'vector', 'sql', 'documents', 'graph']
  for (const plane of planes) {
    for (const other of planes.filter((name) => name !== plane)) {
      zones.push({
        target: `./src/planes/${plane}`,
        from: `./src/planes/${other}`,
        message: 'Planes never import each other.',
      })
    }
  }
  return zones
}

const only = (packages, where) => ({
  group: packages,
  message: `Only ${where} may import this package.`,
})
const PG = only(['pg', 'pg/*', '@electric-sql/*'], 'src/engines/postgres')
const NEO4J = only(['neo4j-driver', 'neo4j-driver/*'], 'src/engines/neo4j')
const FASTIFY = only(['fastify', 'fastify/*', '@fastify/*', 'fastify-*'], 'src/http')
const MCP = only(['@modelcontextprotocol/*'], 'src/mcp')

const packageRules = (files, patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
})

export default tseslint.config(
  { ignores: ['dist', 'node_modules', '.reports', 'coverage'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] } },
    },
    plugins: { 'import-x': importX, n: nodePlugin, 'simple-import-sort': simpleImportSort },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.json' })],
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': ['error', { zones: layerZones() }],
      'import-x/no-default-export': 'error',
      'n/prefer-node-protocol': 'error',
      'no-console': 'error',
      'simple-import-sort/imports': 'error',
    },
  },
  packageRules(['src/**/*.ts'], [PG, NEO4J, FASTIFY, MCP]),
  packageRules(['src/engines/postgres/**/*.ts'], [NEO4J, FASTIFY, MCP]),
  packageRules(['src/engines/neo4j/**/*.ts'], [PG, FASTIFY, MCP]),
  packageRules(['src/http/**/*.ts'], [PG, NEO4J, MCP]),
  packageRules(['src/mcp/**/*.ts'], [PG, NEO4J, FASTIFY]),
  {
    files: ['src/cli/**/*.ts', 'bench/**/*.ts', 'scripts/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['*.config.ts', '*.config.js', 'test/support/global-setup.ts'],
    rules: { 'import-x/no-default-export': 'off' },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
)
