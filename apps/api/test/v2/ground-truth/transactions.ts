import { swept } from '@shardwalk/testkit/runs'
import { Cell, loadTransaction } from '@ton/core'
import { expect, test } from 'vitest'
import { type Json, type Listed, sameAsCore } from '../core-reading.ts'
import { exchangesWith, FACTS } from '../recorded-truth.ts'
import { type ComparedNode, rawAddress, signed } from './compared-node.ts'

export function transactionFacts(compared: () => ComparedNode): void {
  test('the history of an account has the cells that the node returned', async () => {
    const histories = exchangesWith('transactions', 'liteServer.getTransactions')
    expect(histories.length).toBeGreaterThan(15)
    for (const { args, answer, name } of histories) {
      const address = rawAddress(args.account)
      const from = { address, lt: String(args.lt), hash: args.hash.toString('hex'), limit: args.count }
      const hashes = Cell.fromBoc(answer.transactions).map((cell) => cell.hash().toString('base64'))
      const list = await compared().call<Listed[]>('getTransactions', from)
      expect(list.map(({ transaction_id }) => transaction_id.hash).slice(0, hashes.length), name).toEqual(
        hashes,
      )
      const { transactions } = await compared().call<{ transactions: Listed[] }>('getTransactionsStd', from)
      expect(transactions.map(({ transaction_id }) => transaction_id.hash).slice(0, hashes.length)).toEqual(
        hashes,
      )
      for (const one of swept([...list, ...transactions], 7)) sameAsCore(one)
    }
  })

  test('the transactions of a block are those that the node lists', async () => {
    for (const { args, answer, name } of exchangesWith('transactions', 'liteServer.listBlockTransactions')) {
      const { workchain, shard, seqno } = args.id
      const all = { workchain, shard: signed(shard), seqno, count: 10_000 }
      const { transactions } = await compared().call<{ transactions: Json[] }>('getBlockTransactions', all)
      const shown = transactions.map(({ account, lt, hash }) => [account, lt, hash])
      for (const { account, lt, hash } of answer.ids)
        if (account && lt !== undefined && hash)
          expect(shown, name).toContainEqual([
            `${workchain}:${account.toString('hex')}`,
            String(lt),
            hash.toString('base64'),
          ])
      if (!answer.incomplete && !args.after) expect(shown.length, name).toBe(answer.ids.length)
    }
    for (const { args, answer } of exchangesWith('transactions', 'liteServer.listBlockTransactionsExt')) {
      const { workchain, shard, seqno } = args.id
      const params = { workchain, shard: signed(shard), seqno, count: args.count }
      const { transactions } = await compared().call<{ transactions: Listed[] }>(
        'getBlockTransactionsExt',
        params,
      )
      const hashes = Cell.fromBoc(answer.transactions).map((cell) => cell.hash().toString('base64'))
      expect(transactions.map(({ transaction_id }) => transaction_id.hash).slice(0, hashes.length)).toEqual(
        hashes,
      )
      for (const one of transactions) sameAsCore(one)
    }
  })

  test('messages lead to the transactions that contain them', async () => {
    const { transactions } = await compared().call<{ transactions: Listed[] }>('getTransactionsStd', {
      address: FACTS.jettons[0]!.address,
      limit: 60,
    })
    let followed = 0
    for (const { data, transaction_id } of transactions) {
      const { inMessage } = loadTransaction(Cell.fromBase64(data).beginParse())
      if (inMessage?.info.type !== 'internal' || followed >= 5) continue
      const { src, dest, createdLt } = inMessage.info
      const query = { source: src.toRawString(), destination: dest.toString(), created_lt: String(createdLt) }
      for (const name of ['tryLocateTx', 'tryLocateResultTx'] as const)
        expect((await compared().call<Listed>(name, query)).transaction_id).toEqual(transaction_id)
      const source = await compared().call<Listed>('tryLocateSourceTx', query)
      const { outMessages } = loadTransaction(Cell.fromBase64(source.data).beginParse())
      const sent = outMessages.values().map(({ info }) => info.type === 'internal' && info.createdLt)
      expect(sent).toContain(createdLt)
      followed++
    }
    expect(followed).toBe(5)
  })
}
