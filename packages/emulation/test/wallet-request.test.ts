import { parseRoot } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'
import { Address, beginCell, Cell, storeAccount } from '@ton/core'
import TonWeb from 'tonweb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AccountView,
  type ChainView,
  type EmulatedTransaction,
  emulateTrace,
  openChain,
  readRootMessage,
  walletMessage,
} from '../src/index.ts'
import { ChainUnderEmulation } from './chain-under-emulation.ts'

let recorded: ChainUnderEmulation
beforeAll(async () => {
  recorded = await ChainUnderEmulation.start()
})
afterAll(() => recorded?.close())

interface OldCell {
  toBoc(index: boolean): Promise<Uint8Array>
}
interface OldWallet {
  readonly options: { readonly code: OldCell }
}
// TonWeb has no types of its own for these.
const { Wallets, HttpProvider } = TonWeb as unknown as {
  readonly Wallets: { readonly all: { readonly v4R1: new (provider: object, options: object) => OldWallet } }
  readonly HttpProvider: new (url: string) => object
}
const { v4R1 } = Wallets.all

/** block.tlb `StateInit` without code and data. */
const EMPTY_INIT = parseRoot(beginCell().storeUint(0, 5).endCell().toBoc())

describe('a request to a wallet v4r1, of which the sample has none', () => {
  const from = { workchain: 0, hash: Buffer.alloc(32, 7) }
  const address = new Address(0, from.hash)
  const walletId = 698983191
  /** With the code that TonWeb deploys, and a seqno of 3. */
  async function wallet(): Promise<AccountView> {
    const { options } = new v4R1(new HttpProvider(''), { publicKey: from.hash })
    const code = Cell.fromBoc(Buffer.from(await options.code.toBoc(false)))[0]!
    const fields = beginCell().storeUint(3, 32).storeUint(walletId, 32).storeBuffer(from.hash)
    const data = fields.storeBit(false).endCell()
    const last = { lastTransLt: 5n, lastTransHash: Buffer.alloc(32, 1), storageLt: 6n }
    const account = beginCell()
      .storeBit(true)
      .store(
        storeAccount({
          addr: address,
          storageStats: {
            used: { cells: 20n, bits: 5000n },
            storageExtra: null,
            lastPaid: 0,
            duePayment: null,
          },
          storage: {
            lastTransLt: last.storageLt,
            balance: { coins: 10n ** 10n },
            state: { type: 'active', state: { code, data } },
          },
        }),
      )
    const ours = (cell: Cell) => parseRoot(cell.toBoc())
    const [cell, ourCode, ourData] = [account.endCell(), code, data].map(ours)
    return {
      ...{ hash: cell!.hash(), status: 'active', balance: 10n ** 10n, ...last },
      ...{ code: ourCode!, data: ourData!, cell: cell! },
    }
  }

  test('is run by it, with the bounce flags, payloads and states that were asked for', async () => {
    const view = await wallet()
    const head = await openChain(recorded.node, {})
    const chain: ChainView = Object.assign(Object.create(head), {
      account: async (of: RawAddress) => (of.hash.equals(from.hash) ? view : head.account(of)),
    })
    const to = (fill: number) => ({ workchain: 0, hash: Buffer.alloc(32, fill) })
    const text = parseRoot(beginCell().storeUint(0, 32).storeStringTail('hello').endCell().toBoc())
    const messages = [
      { address: to(20), bounce: true, amount: 1000n, payload: text },
      { address: to(21), bounce: false, amount: 2000n },
      {
        address: to(22),
        bounce: false,
        amount: 3000n,
        stateInit: EMPTY_INIT,
      },
      { address: to(23), bounce: true, amount: 4000n },
    ]
    const asked = (validUntil?: number) =>
      emulateTrace(chain, readRootMessage(walletMessage(view, { from, messages, validUntil }, head.utime)), {
        ignoreSignatures: true,
      })
    const [{ transaction }] = (await asked()).transactions as [EmulatedTransaction]
    expect(transaction.outMsgs.map(({ bounce, value, initState }) => [bounce, value, !!initState])).toEqual(
      messages.map(({ bounce, amount, stateInit }) => [bounce, amount, !!stateInit]),
    )
    await expect(asked(head.utime - 1)).rejects.toThrow('EmulationExternalNotAccepted: 35')
  })
})
