import { parseBoc } from '@shardwalk/cells'
import { splitInitState } from '@shardwalk/db'
import { fixtureChain } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { hasBody } from './body-hash.ts'
import { withCode } from './init-state.ts'
import type { MessageRow } from './message-rows.ts'

const hashOf = (boc: Buffer): Buffer => {
  const bag = parseBoc(boc, { allowLevel: true })
  return bag.hash(bag.root)
}

test('a state-init is whole again with its code', async () => {
  let split = 0
  for await (const { batch } of fixtureChain({ from: 40, to: 60 }))
    for (const { transactions } of batch.shards)
      for (const { inMsg } of transactions) {
        if (!inMsg?.initState) continue
        const { initState, code } = splitInitState(inMsg.initState)
        const row = { init_state: initState, init_code_hash: code?.hash ?? null } as MessageRow
        const whole = withCode(row, code?.boc)
        expect(hashOf(whole.init_state!)).toEqual(hashOf(inMsg.initState))
        if (!code) continue
        split++
        expect(hashOf(initState)).not.toEqual(hashOf(inMsg.initState))
        expect(whole.init_code_hash).toBeNull()
      }
  expect(split).toBeGreaterThan(0)
})

test('a body is compared by its whole hash: others may share what the index has of it', async () => {
  let bodies = 0
  for await (const { batch } of fixtureChain({ from: 40, to: 60 }))
    for (const { transactions } of batch.shards)
      for (const { inMsg } of transactions) {
        if (!inMsg) continue
        const body = inMsg.body ?? null
        if (body) bodies++
        const near = Buffer.concat([inMsg.bodyHash.subarray(0, 8), Buffer.alloc(24, 7)])
        expect([hasBody({ body }, inMsg.bodyHash), hasBody({ body }, near)]).toEqual([true, false])
      }
  expect(bodies).toBeGreaterThan(10)
})
