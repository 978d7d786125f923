import { describe, expect, test } from 'vitest'
import { A, B, openHub } from '../test/open-hub.ts'
import { Refused } from './refusal.ts'
import { Session } from './session.ts'

const WANTED = { operation: 'subscribe', types: ['transactions'] }

/** Where the session resumes, and how what it asks before that is answered. */
function open() {
  const { hub, connect } = openHub()
  const one = connect({ types: ['actions'], addresses: [A] })
  const resumed: unknown[] = []
  let settle = { accept: () => {}, reject: (_: Error) => {} }
  const session = new Session(one.subscriber, {
    ...{ subscribers: hub.subscribers, limits: { addresses: 9, traces: 9 }, now: () => 0 },
    resume: (from) => resumed.push(from),
    checkResume: () =>
      new Promise<void>((accept, reject) => {
        settle = { accept, reject }
      }),
  })
  const send = (frame: object) => session.receive(JSON.stringify(frame))
  /** Ends the check, and what follows at once. */
  const answer = async (error?: Error) => {
    if (error) settle.reject(error)
    else settle.accept()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...one, hub, resumed, send, answer }
}

describe('a WebSocket that resumes', () => {
  test('is acknowledged once it is known that it can, and later frames are answered after it', async () => {
    const { send, answer, got, resumed, subscriber } = open()
    send({ ...WANTED, addresses: [A], resume_from: 5, id: 'first' })
    send({ operation: 'ping', id: 'between' })
    send({ ...WANTED, addresses: [B], resume_from: 6, id: 'second' })
    send({ operation: 'ping', id: 'last' })
    expect(got).toEqual([])
    await answer()
    expect(got.map(({ id }) => id)).toEqual(['first', 'between'])
    await answer()
    expect(got.map(({ id }) => id)).toEqual(['first', 'between', 'second', 'last'])
    expect(resumed).toEqual([5, 6])
    expect([...subscriber.subscription.addresses]).toEqual([B])
  })

  test('keeps what it was subscribed to when it cannot, and gets no acknowledgement', async () => {
    const { send, answer, got, resumed, subscriber } = open()
    const before = subscriber.subscription
    send({ ...WANTED, addresses: [B], resume_from: 5, id: 's' })
    await answer(new Refused('resume_from 5 is not indexed'))
    expect(got).toEqual([{ error: 'resume_from 5 is not indexed', id: 's' }])
    expect([subscriber.subscription, resumed]).toEqual([before, []])
  })

  test('is closed when that cannot be found out', async () => {
    const { send, answer, got, closed } = open()
    send({ ...WANTED, addresses: [B], resume_from: 5 })
    send({ operation: 'ping' })
    await answer(new Error('no database'))
    expect([got, closed]).toEqual([[], [1013]])
  })

  test('and leaves meanwhile is subscribed to nothing', async () => {
    const { send, answer, got, resumed, subscriber, hub } = open()
    send({ ...WANTED, addresses: [B], resume_from: 5 })
    send({ ...WANTED, addresses: [B] })
    subscriber.outbox.drop()
    hub.subscribers.remove(subscriber)
    await answer()
    expect([got, resumed, hub.subscribers.addresses]).toEqual([[], [], 0])
  })
})
