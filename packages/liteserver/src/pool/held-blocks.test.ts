import { expect, test } from 'vitest'
import { HeldBlocks } from './held-blocks.ts'

test('workchains that clients invent are not kept', () => {
  const held = new HeldBlocks()
  held.returned({ workchain: 0, seqno: 50 })
  const kept: ReadonlyMap<number, unknown> = held['workchains']
  for (let workchain = 1; workchain < 100; workchain++) {
    expect(held.lacks({ workchain, seqno: 7 }, 0)).toBe(false)
    held.refused({ workchain, seqno: 7 }, 1000, 0)
  }
  expect([...kept.keys()]).toEqual([0])
})
