import { describe, expect, test } from 'vitest'
import { A, B, KEY, openHub, transactions } from '../test/open-hub.ts'
import { Session } from './session.ts'
import { type Beginning, readSubscription } from './subscription.ts'

const hashOf = (fill: number) => Buffer.alloc(32, fill)
const [WANTED, OTHER] = [hashOf(251), hashOf(2)].map((hash) => hash.toString('base64')) as [string, string]

/** Of a transaction that received a message with such a body; null: no message. */
const part = (account: string, body: string | null, lt: bigint) => ({
  ...{ account, lt, listed: [account] },
  reply: JSON.stringify({
    ...{ account, lt: String(lt), out_msgs: [{ message_content: { hash: WANTED } }] },
    in_msg: body && { message_content: { hash: body } },
  }),
})

const event = (...parts: readonly ReturnType<typeof part>[]) =>
  ({ ...transactions('finalized', []), transactions: parts }) as const

const wanted = { types: ['transactions'], addresses: [A] }

describe('msg_body_hash', () => {
  test('leaves transactions whose incoming message has that body, of subscribed accounts', async () => {
    const { hub, connect } = openHub()
    const [one, all] = [connect({ ...wanted, msg_body_hash: WANTED }), connect(wanted)]
    await hub.publish(event(part(A, WANTED, 3n), part(B, WANTED, 2n), part(A, OTHER, 1n), part(A, null, 0n)))
    expect(one.got).toMatchObject([{ transactions: [{ lt: '3' }] }])
    expect(all.got).toMatchObject([{ transactions: [{ lt: '3' }, { lt: '1' }, { lt: '0' }] }])
  })

  test('leaves no event when no message has it, and other types of event as they are', async () => {
    const { hub, connect } = openHub()
    const types = ['transactions', 'account_state_change']
    const one = connect({ ...wanted, types, msg_body_hash: WANTED })
    await hub.publish(event(part(A, OTHER, 1n)))
    expect(one.got).toEqual([])
    await hub.publish({ kind: 'account_state_change', finality: 'finalized', account: A, state: '{}' })
    expect(one.got).toMatchObject([{ type: 'account_state_change' }])
  })

  test('is a hash in any form, beside accounts and transactions', () => {
    const read = (body: object) => readSubscription({ ...wanted, ...body }, { wire: 'ws' })
    const forms = [WANTED, WANTED.replaceAll('+', '-').replaceAll('/', '_').slice(0, -1)]
    for (const form of [...forms, hashOf(251).toString('hex').toUpperCase()])
      expect(read({ msg_body_hash: form }).bodyHash).toBe(WANTED)
    expect(read({ msg_body_hash: null }).bodyHash).toBeUndefined()
    expect(() => read({ msg_body_hash: 'x' })).toThrow('invalid msg_body_hash: x')
    expect(() => read({ msg_body_hash: 7 })).toThrow('msg_body_hash must be a text')
    const needed = 'msg_body_hash requires addresses and type "transactions"'
    expect(() => read({ msg_body_hash: WANTED, types: ['actions'] })).toThrow(needed)
    const trace = { types: ['transactions', 'trace'], trace_external_hash_norms: [KEY] }
    expect(() => read({ msg_body_hash: WANTED, ...trace, addresses: [] })).toThrow('addresses are required')
  })
})

test('replay_existing asks for what is recent once, and resume_from says more', () => {
  const { hub, connect } = openHub()
  const { subscriber } = connect()
  const asked: Beginning[] = []
  const session = new Session(subscriber, {
    ...{ subscribers: hub.subscribers, limits: { addresses: 9, traces: 9 }, now: () => 0 },
    resume: (from) => asked.push(from),
  })
  const send = (frame: object) => session.receive(JSON.stringify({ ...wanted, ...frame }))
  send({ operation: 'subscribe', replay_existing: true })
  send({ operation: 'subscribe' })
  send({ operation: 'subscribe', replay_existing: true, resume_from: 5 })
  send({ operation: 'unsubscribe' })
  expect(asked).toEqual(['recent', 5])
})
