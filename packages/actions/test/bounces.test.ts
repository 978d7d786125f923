import type { Builder } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { op, q, type Sketch, storeAddr } from './build-trace.ts'
import { classify, internalTransfer, only, types, wallet } from './hand-made.ts'

const WALLETS = { ALICE_J: wallet('ALICE', 'USDT'), BOB_J: wallet('BOB', 'USDT') }

/** block.tlb `new_bounce_body#fffffffe`: the sender asked for more than 256 bits of its message. */
const newBounce = (): Builder => op(0xfffffffe).storeRef(q(0x178d4519).endCell())

const refusedTransfer = (bounce: Builder): Sketch => ({
  to: 'ALICE_J',
  body: storeAddr(storeAddr(q(0x0f8a7ea5).storeCoins(100n), 'BOB'), 'ALICE')
    .storeBit(false)
    .storeCoins(0n)
    .storeBit(false),
  sends: [
    {
      to: 'BOB_J',
      body: internalTransfer(100n, 'ALICE'),
      aborted: true,
      sends: [{ to: 'ALICE_J', body: bounce }],
    },
  ],
})

test.each([
  ['old', op(0xffffffff)],
  ['new', newBounce()],
])('a bounce in the %s form is part of the transfer that was refused', (_, bounce) => {
  const actions = classify([refusedTransfer(bounce)], WALLETS)
  expect(types(actions)).toEqual(['jetton_transfer'])
  expect(only(actions, 'jetton_transfer').success).toBe(false)
})

test('a DNS record whose change was refused is one action, whatever the form of the bounce', () => {
  for (const bounce of [op(0xffffffff), newBounce()]) {
    const body = q(0x4eb1f0f9).storeUint(1, 256)
    const change = { to: 'ITEM', body, aborted: true, sends: [{ to: 'ALICE', body: bounce }] }
    expect(types(classify([change]))).toEqual(['delete_dns'])
  }
})
