import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type Case, type ComparedChain, eachFilter } from './compared-chain.ts'
import type { ExpectedTransaction } from './expected-chain.ts'
import { base64, hashes, sortTransactions } from './orders.ts'

const TRANSACTION_CASES: readonly Case<ExpectedTransaction>[] = [
  ['nothing', () => ({}), () => true],
  ['workchain -1', () => ({ workchain: -1 }), (t) => t.block.workchain === -1],
  ['workchain 0', () => ({ workchain: 0 }), (t) => t.block.workchain === 0],
  ['a workchain that does not exist', () => ({ workchain: 7 }), () => false],
  [
    'shard of the whole workchain',
    () => ({ workchain: 0, shard: '8000000000000000' }),
    (t) => t.block.workchain === 0 && t.block.shard === 2n ** 63n,
  ],
  [
    'shard after a split, in signed decimal form',
    (of) => ({ workchain: 0, shard: BigInt.asIntN(64, of.splitBlock.shard) }),
    (t, of) => t.block.workchain === 0 && t.block.shard === of.splitBlock.shard,
  ],
  [
    'shard and a range of lt',
    (of) => ({ workchain: 0, shard: '8000000000000000', start_lt: of.lt(0.3), end_lt: of.lt(0.6) }),
    (t, of) =>
      t.block.workchain === 0 && t.block.shard === 2n ** 63n && t.lt >= of.lt(0.3) && t.lt <= of.lt(0.6),
  ],
  [
    'shard and a period',
    (of) => ({ workchain: -1, start_utime: of.time(0.3), end_utime: of.time(0.6) }),
    (t, of) => t.block.workchain === -1 && t.now >= of.time(0.3) && t.now <= of.time(0.6),
  ],
  [
    'one block',
    (of) => ({ workchain: 0, shard: of.splitBlock.shard.toString(16), seqno: of.splitBlock.seqno }),
    (t, of) => t.block === of.splitBlock,
  ],
  [
    'masterchain block',
    (of) => ({ mc_seqno: of.transaction.block.mcBlockSeqno }),
    (t, of) => t.block.mcBlockSeqno === of.transaction.block.mcBlockSeqno,
  ],
  [
    'masterchain block and account',
    (of) => ({ mc_seqno: of.transaction.block.mcBlockSeqno, account: of.transaction.account }),
    (t, of) =>
      t.block.mcBlockSeqno === of.transaction.block.mcBlockSeqno && t.account === of.transaction.account,
  ],
  ['account', (of) => ({ account: of.accounts[0]! }), (t, of) => t.account === of.accounts[0]],
  [
    'account and a period',
    (of) => ({ account: of.accounts[3]!, start_utime: of.time(0.2), end_utime: of.time(0.8) }),
    (t, of) => t.account === of.accounts[3] && t.now >= of.time(0.2) && t.now <= of.time(0.8),
  ],
  [
    'account and a range of lt',
    (of) => ({ account: of.accounts[3]!, start_lt: of.lt(0.2), end_lt: of.lt(0.8) }),
    (t, of) => t.account === of.accounts[3] && t.lt >= of.lt(0.2) && t.lt <= of.lt(0.8),
  ],
  ['many accounts', (of) => ({ account: [...of.listed] }), (t, of) => of.listed.has(t.account)],
  [
    'many accounts and a period',
    (of) => ({ account: [...of.listed], start_utime: of.time(0.2), end_utime: of.time(0.9) }),
    (t, of) => of.listed.has(t.account) && t.now >= of.time(0.2) && t.now <= of.time(0.9),
  ],
  [
    'accounts minus an excluded one',
    (of) => ({ account: of.accounts.slice(0, 5), exclude_account: of.accounts[1]! }),
    (t, of) => of.accounts.slice(0, 5).includes(t.account) && t.account !== of.accounts[1],
  ],
  [
    'excluded accounts',
    (of) => ({ exclude_account: of.accounts.slice(0, 20) }),
    (t, of) => !of.accounts.slice(0, 20).includes(t.account),
  ],
  [
    'account and shard',
    (of) => ({ workchain: 0, shard: '8000000000000000', account: of.accounts.slice(0, 9) }),
    (t, of) =>
      of.accounts.slice(0, 9).includes(t.account) && t.block.workchain === 0 && t.block.shard === 2n ** 63n,
  ],
  ['hash', (of) => ({ hash: of.transaction.hash.toString('hex') }), (t, of) => t === of.transaction],
  ['lt', (of) => ({ lt: of.transaction.lt }), (t, of) => t.lt === of.transaction.lt],
  [
    'period',
    (of) => ({ start_utime: of.time(0.4), end_utime: of.time(0.7) }),
    (t, of) => t.now >= of.time(0.4) && t.now <= of.time(0.7),
  ],
  ['time from', (of) => ({ start_utime: of.time(0.9) }), (t, of) => t.now >= of.time(0.9)],
  ['time to', (of) => ({ end_utime: of.time(0.1) }), (t, of) => t.now <= of.time(0.1)],
  [
    'range of lt',
    (of) => ({ start_lt: of.lt(0.4), end_lt: of.lt(0.5) }),
    (t, of) => t.lt >= of.lt(0.4) && t.lt <= of.lt(0.5),
  ],
  [
    'old lt in order of time',
    (of) => ({ start_utime: 1, end_lt: of.lt(0.2) }),
    (t, of) => t.lt <= of.lt(0.2),
  ],
  ['inverted range', (of) => ({ start_lt: of.lt(0.5), end_lt: of.lt(0.4) }), () => false],
  ['an account nobody saw', () => ({ account: `0:${'AB'.repeat(32)}` }), () => false],
]

export function transactionLists(chain: () => ComparedChain): void {
  eachFilter({ list: 'transactions', cases: TRANSACTION_CASES }, chain, (query, matches) =>
    chain().expectTransactions('transactions', query, matches),
  )

  test('adjacentTransactions are the senders and receivers of a transaction, by lt', async () => {
    const middle = chain().truth.transactions.filter((t) => t.inMsg?.outTx && t.outMsgs.some((m) => m.inTx))
    for (const t of middle.filter((_, index) => index % (isLong ? 97 : 291) === 0)) {
      const parents = [t.inMsg!.outTx!]
      const children = t.outMsgs.flatMap((m) => (m.inTx ? [m.inTx] : []))
      for (const [direction, expected] of [
        ['in', parents],
        ['out', children],
        [undefined, [...parents, ...children]],
      ] as const) {
        const reply = await chain().client.get('adjacentTransactions', {
          hash: t.hash.toString('hex'),
          direction,
        })
        expect(hashes(reply.body['transactions'] as Json[])).toEqual(
          base64(sortTransactions(expected, 'asc')),
        )
      }
    }
    const lonely = chain().truth.transactions.find((t) => !t.inMsg?.outTx && !t.outMsgs.some((m) => m.inTx))!
    const none = await chain().client.get('adjacentTransactions', { hash: lonely.hash.toString('hex') })
    expect([none.status, none.body]).toEqual([404, { error: 'adjacent transactions not found', code: 404 }])
  })

  test('transactionsByMasterchainBlock lists all workchains by lt', async () => {
    for (const seqno of [100, 230, 400]) {
      const expected = sortTransactions(
        chain().truth.transactions.filter((t) => t.block.mcBlockSeqno === seqno),
        'desc',
      )
      await chain().expectPaging('transactionsByMasterchainBlock', 'transactions', { seqno }, expected)
    }
  })
}
