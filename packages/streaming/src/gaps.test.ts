import { expect, test } from 'vitest'
import { A, openHub, transactions } from '../test/open-hub.ts'

test('who waits for what it missed gets no position, and the others do', async () => {
  const { hub, connect } = openHub()
  const body = { types: ['transactions'], addresses: [A] }
  const [late, other] = [connect(body), connect(body)]
  late.subscriber.gaps++
  await hub.publish({ ...transactions('finalized', [A]), after: 7 })
  late.subscriber.gaps--
  await hub.publish({ ...transactions('finalized', [A]), after: 8 })
  expect(late.frames.map(({ after }) => after)).toEqual([undefined, 8])
  expect(late.got.map(({ resume_from }) => resume_from)).toEqual([undefined, 8])
  expect(other.frames.map(({ after }) => after)).toEqual([7, 8])
  expect(other.got.map(({ resume_from }) => resume_from)).toEqual([7, 8])
})
