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
