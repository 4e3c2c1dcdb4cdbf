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
    'heddle import <path...> {--include <glob>} {--exclude <glob>} {--prefix <folder>} {--path <path>} {--chunk-tokens <number>} {--scope <kind>}',
    'heddle export <path...> {--out <folder>} {--revision <number>} {--scope <kind>}',
    'heddle observe [text] {--file <path>} {--scope <kind>} {--turns <item>} {--conversation <text>} {--title <text>} {--observed-at <text>} {--idempotency-key <text>}',
    'heddle recall <query> {--scope <kind>} {--scopes <item>} {--sources <json>} {--kinds <item>} {--types <item>} {--tags <item>} {--path <text>} {--observed <json>} {--top-k <number>} {--budget-tokens <number>}',
    'heddle doc import <path> <content> {--scope <kind>} {--title <text>} {--type <text>} {--tags <item>} {--observed-at <text>} {--chunk-tokens <number>} {--idempotency-key <text>}',
    'heddle doc create <path> <content> {--scope <kind>} {--title <text>} {--type <text>} {--tags <item>} {--observed-at <text>} {--chunk-tokens <number>} {--idempotency-key <text>}',
    'heddle doc update [path] {--scope <kind>} {--id <text>} {--if-revision <number>} {--content <text>} {--chunk-id <text>} {--append <text>} {--title <text>} {--type <text>} {--tags <item>} {--observed-at <text>} {--idempotency-key <text>}',
    'heddle doc move [path] [to] {--scope <kind>} {--id <text>} {--chunk-id <text>} {--before <text>} {--after <text>} {--into <text>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle doc reorder [path] {--scope <kind>} {--id <text>} {--parent-id <text>} {--order <item>!} {--if-revision <number>!} {--idempotency-key <text>}',
    'heddle doc get [path] {--scope <kind>} {--id <text>} {--revision <number>} {--raw}',
    'heddle doc outline [path] {--scope <kind>} {--id <text>} {--revision <number>}',
    'heddle doc find [path] {--scope <kind>} {--glob <text>} {--type <text>} {--status <text>} {--tags <item>} {--fields <json>} {--kind <document|conversation|text>} {--limit <number>} {--cursor <text>}',
    'heddle doc tags [prefix] {--scope <kind>} {--path <text>} {--limit <number>} {--cursor <text>}',
    'heddle doc links [path] {--scope <kind>} {--id <text>} {--limit <number>} {--cursor <text>}',
    'heddle doc backlinks [path] {--scope <kind>} {--id <text>} {--limit <number>} {--cursor <text>}',
    'heddle doc history [path] {--scope <kind>} {--id <text>} {--limit <number>} {--cursor <text>}',
    'heddle doc diff [path] {--scope <kind>} {--id <text>} {--from <number>} {--to <number>} {--context <number>} {--raw}',
    'heddle doc export [path] {--scope <kind>} {--id <text>} {--conversation <text>} {--chunk-id <text>} {--revision <number>} {--format <text|jsonl>} {--tool-turns [true|false]} {--cursor <text>} {--raw}',
    'heddle doc search <query> {--scope <kind>} {--id <text>} {--path <text>} {--paths <item>} {--types <item>} {--tags <item>} {--top-k <number>} {--budget-tokens <number>}',
    'heddle doc delete [path] {--scope <kind>} {--id <text>} {--chunk-id <text>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle get <id> {--scope <kind>} {--budget-tokens <number>} {--include-deleted [true|false]}',
    'heddle list {--scope <kind>} {--kind <source|chunk|turn|kv|evidence>} {--limit <number>} {--cursor <text>}',
    'heddle forget <ids...> {--scope <kind>} {--idempotency-key <text>}',
    'heddle evidence add [source-id] [quote] {--scope <kind>} {--chunk-id <text>} {--revision <number>} {--before <text>} {--after <text>} {--span <json>} {--hash <text>} {--stance <supports|contradicts>} {--confidence <number>} {--locator <json>} {--idempotency-key <text>}',
    'heddle evidence locate [source-id] <quote> {--scope <kind>} {--chunk-id <text>} {--revision <number>} {--before <text>} {--after <text>}',
    'heddle kv set <key> <value> {--scope <kind>} {--ttl-seconds <number>} {--if-revision <number>} {--idempotency-key <text>} {--text}',
    'heddle kv get <key> {--scope <kind>} {--raw}',
    'heddle kv delete <key> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv list [prefix] {--scope <kind>} {--limit <number>} {--cursor <text>}',
    'heddle kv incr <key> [by] {--scope <kind>} {--initial <number>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv merge <key> <patch> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>}',
    'heddle kv append-unique <key> <items...> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>} {--text}',
    'heddle kv push-bounded <key> <items> <max> {--scope <kind>} {--if-revision <number>} {--idempotency-key <text>} {--text}',
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
    'heddle doctor {--verify-evidence} {--all-tenants}',
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
