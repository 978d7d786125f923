import { LiteServerError, QueryTimeout } from '@shardwalk/liteserver'
import { expect, test } from 'vitest'
import { SentMessages } from './sent-messages.ts'

type Message = Parameters<SentMessages['sending']>[0]
type Log = ConstructorParameters<typeof SentMessages>[1]

/** What a follower of a message receives when sending it ends in this way. */
async function outcomeOf(send: () => Promise<unknown>) {
  const outcomes: Promise<string>[] = []
  const sent = new SentMessages(undefined, {} as Log, (_message, outcome) => outcomes.push(outcome))
  await sent.sending({} as Message, send).catch(() => {})
  return outcomes[0]
}

const answer = (code: number, text: string) => async () => {
  throw new LiteServerError('server', 'liteServer.sendMessage', code, text)
}

test.each([
  [0, 'cannot apply external message to current state : External message was not accepted'],
  [-400, 'invalid message'],
])('a message that servers answer with %i %s is refused', async (code, text) => {
  expect(await outcomeOf(answer(code, text))).toBe('refused')
})

test.each([
  [228, 'too many requests'],
  [429, 'slow down'],
  [0, 'Too many requests'],
  [502, 'bad gateway'],
  [652, 'timeout'],
])('a message that servers answer with %i %s may happen all the same', async (code, text) => {
  expect(await outcomeOf(answer(code, text))).toBe('unknown')
})

test('a message to which nobody answers in time may happen all the same', async () => {
  const late = async () => {
    throw new QueryTimeout('server', 'liteServer.sendMessage', 1000)
  }
  expect(await outcomeOf(late)).toBe('unknown')
  expect(await outcomeOf(async () => {})).toBe('accepted')
})
