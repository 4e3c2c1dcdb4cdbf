import type { Command } from 'commander'
import { expect, it } from 'vitest'

import type { CliDeps } from '../../src/cli/deps.ts'
import { EXIT_CODES } from '../../src/cli/exit-code.ts'
import { makeProgram } from '../../src/cli/run-cli.ts'
import { Session } from '../../src/cli/session.ts'

/** Only the declaration of the commands is looked at; nothing runs. */
const DECLARED_ONLY = {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: new AbortController().signal,
} as unknown as CliDeps

it('keeps the commands, arguments and options that scripts rely on', () => {
  const lines: string[] = []
  const visit = (command: Command, path: string): void => {
    const words = command.registeredArguments.map((argument) => {
      const name = argument.variadic ? `${argument.name()}...` : argument.name()
      return argument.required ? `<${name}>` : `[${name}]`
    })
    const flags = command.options.map(({ flags: declared, mandatory }) =>
      mandatory ? `${declared}!` : declared,
    )
    if (command.commands.length === 0 || path === 'heddle') {
      lines.push([path, ...words, ...flags.map((flag) => `{${flag}}`)].join(' '))
    }
    for (const child of command.commands) visit(child, `${path} ${child.name()}`)
  }
  visit(makeProgram(new Session(DECLARED_ONLY)), 'heddle')
  expect(lines).toEqual([
    'heddle {--version} {--json} {--data-dir <folder>} {--tenant <name>} {--agent <name>} {--user <name>} {--session <name>} {--verbose}',
    'heddle init',
    'heddle serve {--host <address>} {--port <number>} {--migrate}',
    'heddle mcp {--tools <mode>}',
    'heddle import <path...> {--include <glob>} {--exclude <glob>} {--prefix <folder>} {--path <path>} {--scope <kind>}',
    'heddle observe [text] {--file <path>} {--scope <kind>} {--turns <item>} {--conversation <text>} {--title <text>} {--observed-at <text>} {--idempotency-key <text>}',
    'heddle recall <query> {--scope <kind>} {--scopes <item>} {--sources <json>} {--kinds <item>} {--types <item>} {--tags <item>} {--path <text>} {--observed <json>} {--top-k <number>} {--budget-tokens <number>}',
    'heddle doc import <path> <content> {--scope <kind>} {--title <text>} {--type <text>} {--tags <item>} {--observed-at <text>} {--idempotency-key <text>}',
    'heddle doc get [path] {--scope <kind>} {--id <text>} {--revision <number>}',
    'heddle doc outline [path] {--scope <kind>} {--id <text>} {--revision <number>}',
    'heddle get <id> {--scope <kind>}',
    'heddle list {--scope <kind>} {--kind <source|chunk|turn|kv>} {--limit <number>} {--cursor <text>}',
    'heddle kv set <key> <value> {--scope <kind>} {--ttl-seconds <number>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv get <key> {--scope <kind>}',
    'heddle kv delete <key> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv list [prefix] {--scope <kind>} {--limit <number>} {--cursor <text>}',
    'heddle kv incr <key> [by] {--scope <kind>} {--initial <number>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv merge <key> <patch> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv append-unique <key> <items...> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv push-bounded <key> <items> <max> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv history <key> {--scope <kind>} {--limit <number>} {--cursor <text>}',
    'heddle kv batch <entries...> {--scope <kind>} {--idempotency-key <text>}',
    'heddle call <op> {--args <json>} {--scope <kind>}',
    'heddle keys create {--role <role>} {--label <text>} {--grant <grant>} {--isolated}',
    'heddle keys list',
    'heddle keys revoke <key>',
    'heddle tenants create <name>',
    'heddle tenants list',
    'heddle tenants remove <name> {--yes}',
    'heddle migrate',
    'heddle doctor',
    'heddle demo',
    'heddle help [command...]',
  ])
})

it('keeps the exit codes', () => {
  expect(EXIT_CODES).toEqual({
    ok: 0,
    failed: 1,
    usage: 2,
    forbidden: 3,
    notFound: 4,
    conflict: 5,
    unavailable: 6,
    cancelled: 130,
  })
})
