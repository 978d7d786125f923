import { describe, expect, test } from 'vitest'
import { type Frame, Outbox } from './outbox.ts'

/** An outbox whose connection takes one frame at a time, when `take` is called. */
function openOutbox() {
  const sent: string[] = []
  const transport = {
    send: ({ text, after }: Frame) => {
      sent.push(after === undefined ? text : `${text} @${after}`)
      return false
    },
    close: () => {},
  }
  const outbox = new Outbox(transport)
  const take = (count: number) => {
    for (let i = 0; i < count; i++) outbox.flush()
  }
  return { outbox, sent, take }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const event = (text: string, after?: number): Frame => ({ kind: 'event', text, after })

describe('a newer snapshot', () => {
  test('comes after everything before its position', () => {
    const { outbox, sent, take } = openOutbox()
    outbox.push(event('first', 9))
    outbox.push(event('state of block 11', 10), 'state')
    outbox.push(event('trace of block 12', 11), 'trace 1')
    outbox.push(event('trace of block 15', 14), 'trace 2')
    outbox.push(event('state of block 30', 29), 'state')
    take(4)
    expect(sent).toEqual([
      ...['first @9', 'trace of block 12 @11', 'trace of block 15 @14', 'state of block 30 @29'],
    ])
  })

  test('of a trace that was invalidated comes after the invalidation of the older one', () => {
    const { outbox, sent, take } = openOutbox()
    outbox.push(event('first'))
    outbox.push(event('older'), 'trace')
    outbox.push({ kind: 'invalidation', text: 'invalidated' })
    outbox.push(event('newer'), 'trace')
    outbox.push(event('newest'), 'trace')
    take(4)
    expect(sent).toEqual(['first', 'older', 'invalidated', 'newest'])
  })
})

describe('what was missed', () => {
  test('by two at once is sent as the connection takes it, and ends the wait of both', async () => {
    const { outbox, sent, take } = openOutbox()
    const sendMissed = async (text: string) => {
      outbox.hold()
      for (const part of ['1', '2']) await outbox.pushAhead(event(text + part))
      outbox.release()
    }
    const both = Promise.all([sendMissed('a'), sendMissed('b')])
    outbox.push(event('live'))
    while (sent.length < 4) {
      const before = sent.length
      take(1)
      await settled()
      expect(sent.length).toBe(before + 1)
    }
    take(1)
    await both
    take(1)
    expect(sent.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'live'])
    expect(sent.at(-1)).toBe('live')
  })

  test('comes after the acknowledgement, however late the connection takes it', async () => {
    const { outbox, sent, take } = openOutbox()
    outbox.push(event('before'))
    outbox.push({ kind: 'status', text: 'subscribed' })
    outbox.hold()
    outbox.push(event('live'))
    const sending = outbox.pushAhead(event('missed'))
    for (let i = 0; i < 3; i++) {
      take(1)
      await settled()
    }
    await sending
    outbox.release()
    expect(sent).toEqual(['before', 'subscribed', 'missed', 'live'])
  })

  test('ends when the connection is gone', async () => {
    const { outbox, sent } = openOutbox()
    outbox.push(event('before'))
    const sending = Promise.all([outbox.pushAhead(event('a')), outbox.pushAhead(event('b'))])
    outbox.drop()
    await sending
    expect(sent).toEqual(['before'])
  })
})
