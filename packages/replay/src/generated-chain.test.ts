import { loadStateAfter } from '@shardwalk/blocks'
import { type AccountStateAfter, MASTERCHAIN } from '@shardwalk/model'
import { verifyAccountState } from '@shardwalk/proofs'
import { type ChainOptions, type GeneratedStep, generatedChain } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { servedChain } from '../test/served-chain.ts'

const GONE: AccountStateAfter = { status: 'nonexist', balance: 0n }

const RESTLESS = { workchains: [0, 5, -128], isRestless: true, genesis: 0.5, accounts: 30 }
const WORLDS: readonly (readonly [string, ChainOptions & { readonly steps: number }])[] = [
  ['of three workchains that split and merge', { seed: 61, steps: 12, ...RESTLESS }],
  [
    'whose shards are split down to 60 bits',
    { seed: 62, steps: 64, splitsDeep: true, accounts: 8, transactions: 2 },
  ],
  [
    'with a workchain that comes and goes',
    { seed: 63, steps: 8, workchains: [0, 5], spans: new Map([[5, { from: 3, to: 5 }]]), accounts: 20 },
  ],
]

/** States by workchain and account id as they are after each step. */
function* statesAfterEach(steps: readonly GeneratedStep[]) {
  const now = new Map(
    [...steps[0]!.zerostates].flatMap(([workchain, { accounts }]) =>
      [...accounts].map(([hex, state]) => [`${workchain}:${hex}`, state] as const),
    ),
  )
  for (const { masterchain, shards } of steps) {
    for (const { raw, states } of [...shards, masterchain])
      for (const [hex, state] of states) now.set(`${raw.id.workchain}:${hex}`, state)
    yield { id: masterchain.raw.id, now }
  }
}

test.each(WORLDS)('each account of a chain %s is proven as it is after each block', async (_, options) => {
  const steps = [...generatedChain(options)]
  const { pool, recording, close } = await servedChain(options, steps)
  let compared = 0
  // In a long chain a block proves one account in so many, the next block the next ones.
  const step = isLong || options.steps < 10 ? 1 : 3
  try {
    for (const { id, now } of statesAfterEach(steps)) {
      // Of a zerostate there is no block that could prove it, and none of a workchain that has ended.
      const provable = recording.step(id.seqno)!.shardTops.filter(({ seqno }) => seqno > 0)
      const workchains = new Set([MASTERCHAIN, ...provable.map(({ workchain }) => workchain)])
      for (const [index, [key, wanted]] of [...now].entries()) {
        if ((index + id.seqno) % step > 0) continue
        const [workchain, hex] = key.split(':') as [string, string]
        if (!workchains.has(Number(workchain))) continue
        const address = { workchain: Number(workchain), hash: Buffer.from(hex, 'hex') }
        const { account } = verifyAccountState(await pool.getAccountState(id, address), id, address)
        const { status, balance, code, data, codeHash, dataHash } = account
          ? loadStateAfter(account.cell.slice())
          : GONE
        expectSame(
          [status, balance, codeHash, dataHash, code !== undefined, data !== undefined],
          [
            ...[wanted.status, wanted.balance, wanted.code?.hash(), wanted.data?.hash()],
            ...[wanted.code !== undefined, wanted.data !== undefined],
          ],
        )
        compared++
      }
    }
    expect(compared).toBeGreaterThan(100)
  } finally {
    await close()
  }
})
