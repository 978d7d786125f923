import { expect, test } from 'vitest'
import { type Notice, notices } from '../../examples/notifier.ts'
import type { StreamClient, StreamEvent } from '../index.ts'

const actions = (id: string, resume_from?: number) =>
  ({
    type: 'actions',
    actions: [{ action_id: id, type: 'ton_transfer', details: {}, success: true }],
    ...(resume_from !== undefined && { resume_from }),
  }) as unknown as StreamEvent

test('a notice of an event without a position does not make the notifier forget its own', async () => {
  const sent = [actions('a', 301), actions('b'), actions('c', 305), actions('a', 305)]
  const client = {
    async *events() {
      yield* sent
    },
  } as unknown as StreamClient
  const delivered: Notice[] = []
  for await (const notice of notices(client, [], { delivered: { position: 300, actionIds: new Set() } }))
    delivered.push(notice)
  expect(delivered.map(({ actionId, position }) => [actionId, position])).toEqual([
    ['a', 301],
    ['b', 301],
    ['c', 305],
  ])
})
