import { type Cell as OurCell, parseRoot, serializeBoc } from '@shardwalk/cells'
import {
  type EmulatedTransaction,
  emulateTrace,
  openChain,
  readRootMessage,
  walletMessage,
} from '@shardwalk/emulation'
import { createNodeAccess, type NodeAccess } from '@shardwalk/node-access'
import { Address } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { addressOf } from './sends.ts'

let api: RunningApi
let node: NodeAccess
beforeAll(async () => {
  api = await startApi(undefined, { untrustedTimeoutMs: 60_000 })
  await warmUp(api)
  const { pool, tvm, untrustedTvm } = api
  node = createNodeAccess({ pool, tvm, untrustedTvm })
})
afterAll(() => api?.close())

describe('fees of a message to a wallet v5 with a list of actions', () => {
  const estimate = async (body: OurCell, ignoreSignatures: boolean) => {
    const reply = await fetch(`${api.base.replace('v2', 'v3')}/estimateFee`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        address: addressOf('wallet-v5r1'),
        body: serializeBoc(body).toString('base64'),
        ignore_chksig: ignoreSignatures,
      }),
    })
    expect(reply.status).toBe(200)
    return ((await reply.json()) as { source_fees: Record<string, number> }).source_fees
  }

  test('are those of its transaction, and without its signature those of being refused', async () => {
    const { workChain: workchain, hash } = Address.parse(addressOf('wallet-v5r1'))
    const from = { workchain, hash }
    const chain = await openChain(node, {})
    const messages = [1n, 2n, 3n].map((amount) => ({ address: from, bounce: true, amount }))
    const root = readRootMessage(walletMessage(await chain.account(from), { from, messages }, chain.utime))
    const [{ transaction }] = (await emulateTrace(chain, root, { ignoreSignatures: true })).transactions as [
      EmulatedTransaction,
    ]
    const { storagePhase, computePhase, actionPhase } = transaction.description
    const action = actionPhase!
    const gas = computePhase!.skipped ? 0n : computePhase!.gasFees
    const storage = storagePhase!.storageFeesCollected
    const body = parseRoot(root.message.body)
    const fees = await estimate(body, true)
    expect(fees).toMatchObject({
      in_fwd_fee: Number(transaction.totalFees - gas - storage - action.totalActionFees!),
      gas_fee: Number(gas),
      fwd_fee: Number(action.totalFwdFees),
    })
    expect(fees['fwd_fee']).toBeGreaterThan(3 * 400_000 - 1)
    expect(await estimate(body, false)).toEqual({ ...fees, gas_fee: 0, fwd_fee: 0 })
  })
})
