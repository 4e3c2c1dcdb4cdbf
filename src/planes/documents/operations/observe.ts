import { z } from 'zod'

import type { SourceId } from '../../../core/ids.ts'
import { invalidInput } from '../../../core/invalid-input.ts'
import { appendTextRevision, createSource, findSource } from '../../../evidence/index.ts'
import { getScopeKind } from '../../../identity/scope.ts'
import type { OperationCall, WriteCall } from '../../../operation/call.ts'
import { defineWrite } from '../../../operation/definition.ts'
import type { Limits } from '../../../operation/limits.ts'
import { planRevision } from '../plan-revision.ts'
import { storeChunks, storeItems } from '../store-chunks.ts'
import { appendTurns, keyTurns } from '../turns.ts'
import { DOCUMENT_SCOPES, observedAtSchema, scopeSchema, titleSchema } from '../wire.ts'

/** Name of the conversation of an identity without a session. */
const DEFAULT_CONVERSATION = 'default'

const Turn = z.strictObject({
  role: z.string().trim().min(1).max(64).describe('user, assistant, system or tool'),
  content: z.string(),
  speaker: z.string().trim().min(1).max(256).optional().describe('Name of who speaks'),
  observed_at: observedAtSchema.optional().describe('When it was said'),
  key: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Your id of the turn; sent again it adds nothing'),
  tool: z.unknown().optional().describe('Tool call or result as JSON; kept, not recalled'),
})

const Input = z.strictObject({
  turns: z.array(Turn).min(1).optional().describe('Turns of a conversation, oldest first'),
  conversation: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .optional()
    .describe('Name of the conversation; default: the session'),
  text: z.string().optional().describe('A text instead of turns'),
  title: titleSchema.optional().describe('Of the text'),
  observed_at: observedAtSchema.optional().describe('Of the text, or of turns that have none'),
})
type Input = z.output<typeof Input>

const Output = z.strictObject({
  source_id: z.uuid(),
  scope: scopeSchema,
  revision: z.int(),
  conversation: z.string().optional(),
  added: z.int().describe('Turns or chunks that are new'),
  skipped: z.int().describe('Turns that were there already'),
  turn_ids: z.array(z.uuid()).optional().describe('In the order given'),
})
type Output = z.output<typeof Output>

const Receipt = z.object({
  source_id: z.string(),
  revision: z.int(),
  added: z.int(),
  skipped: z.int(),
  turn_ids: z.array(z.string()),
})

export const observeOperation = defineWrite({
  name: 'observe',
  summary: 'Store turns of a conversation, or a text, word for word as a source',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: false,
  destructive: false,
  input: Input,
  output: Output,
  example: {
    conversation: 'standup',
    turns: [{ role: 'user', speaker: 'Ines', content: 'The blue crate goes to dock 4.' }],
  },
  positional: ['text'],
  handle: (call, input) => {
    assertTurnsOrText(input)
    return input.text === undefined
      ? observeTurns(call, input)
      : observeText(call, input, input.text)
  },
  toReceipt: ({ source_id, revision, added, skipped, turn_ids = [] }) => ({
    source_id,
    revision,
    added,
    skipped,
    turn_ids,
  }),
  fromReceipt: async (tx, call, receipt, input) => {
    const { turn_ids, ...rest } = Receipt.parse(receipt)
    const source = await findSource(tx, call.read, rest.source_id)
    if (source === undefined) return undefined
    const scope = getScopeKind(call.read, source.scopeId)
    const isText = input.text !== undefined
    return { ...rest, scope, ...(!isText && { conversation: source.name, turn_ids }) }
  },
})

function observeTurns(call: WriteCall<Input, Output>, input: Input): Promise<Output> {
  const given = input.turns ?? []
  assertTurns(given, call.limits)
  const turns = keyTurns(
    given.map((turn) => ({ ...turn, observedAt: turn.observed_at ?? input.observed_at })),
  )
  const conversation = conversationName(call, input)
  return call.write(async (tx) => {
    const observed = await appendTurns(tx, call.target, call.newId, conversation, turns)
    if (observed.forgotten > 0) {
      call.note('turns_forgotten', `${observed.forgotten} of the turns were forgotten and stay so`)
    }
    return {
      source_id: observed.sourceId,
      scope: call.target.kind,
      revision: observed.revision,
      conversation,
      added: observed.added,
      skipped: turns.length - observed.added,
      turn_ids: [...observed.turnIds],
    }
  })
}

async function observeText(
  call: WriteCall<Input, Output>,
  input: Input,
  text: string,
): Promise<Output> {
  assertText(text, ['text'], call.limits)
  const { title, observed_at: observedAt } = input
  const { newId, signal, target } = call
  const context = {
    newId,
    tenant: target.tenantId,
    syntax: 'plain',
    given: { title, observedAt },
  } as const
  const plan = await planRevision(text, undefined, context, {}, signal)
  return call.write(async (tx) => {
    const source = { sourceId: newId() as SourceId, kind: 'text', ...plan.description } as const
    await createSource(tx, target, source)
    const unwritten = { ...source, revision: 0 }
    const revision = await appendTextRevision(tx, target, unwritten, text, plan.description)
    const { sourceId } = source
    await storeChunks(tx, target, { sourceId, revision }, plan)
    await storeItems(tx, target, { sourceId, revision }, plan)
    return {
      source_id: sourceId,
      scope: target.kind,
      revision,
      added: plan.parsed.chunks.length,
      skipped: 0,
    }
  })
}

function conversationName({ identity }: OperationCall, input: Input): string {
  return input.conversation ?? identity.session ?? DEFAULT_CONVERSATION
}

function assertTurnsOrText({ turns, text, conversation, title }: Input): void {
  if ((turns === undefined) === (text === undefined)) {
    throw invalidInput(['turns'], 'one_of', 'Expected either turns or text')
  }
  if (text !== undefined && conversation !== undefined) {
    throw invalidInput(['conversation'], 'not_applicable', 'A text belongs to no conversation')
  }
  if (turns !== undefined && title !== undefined) {
    throw invalidInput(['title'], 'not_applicable', 'Turns have no title')
  }
}

function assertTurns(turns: NonNullable<Input['turns']>, limits: Limits): void {
  if (turns.length > limits.observeTurns) {
    throw invalidInput(
      ['turns'],
      'too_big',
      `Expected at most ${limits.observeTurns} turns in one call`,
    )
  }
  turns.forEach((turn, index) => {
    const path = ['turns', index, 'content']
    if (turn.tool === undefined || turn.content !== '') assertText(turn.content, path, limits)
  })
}

function assertText(text: string, path: readonly (string | number)[], limits: Limits): void {
  if (text.trim() === '') throw invalidInput(path, 'blank', 'Expected words, not only white space')
  if (Buffer.byteLength(text, 'utf8') > limits.turnBytes) {
    throw invalidInput(path, 'too_big', `Expected at most ${limits.turnBytes} bytes as UTF-8`)
  }
}
