import { Builder, type Cell, loadMsgAddress, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { codeHashOf } from '../interfaces/code-hashes.ts'
import type { StackValue } from './stack.ts'

/**
 * Data layouts of the three most frequent jetton wallets, by code hash. Their get-methods only return these
 * fields.
 */
const JETTON_WALLETS: ReadonlyMap<string, 'v1' | 'status'> = new Map([
  // The reference wallet of TEP-74: balance:Coins owner:MsgAddress master:MsgAddress code:^Cell.
  [codeHashOf('jetton_wallet_v1'), 'v1'],
  // status:uint4 balance:Coins owner:MsgAddress master:MsgAddress. Both codes are library cells; the second
  // is that of USDT.
  [codeHashOf('jetton_wallet_v2'), 'status'],
  [codeHashOf('jetton_wallet_governed'), 'status'],
])

interface NativeCall {
  readonly codeHash: Buffer
  readonly code: Cell
  readonly data: Cell
  readonly method: string
}

/**
 * Result of a get-method without running it, for code whose result is its data; undefined when it must be
 * run. The result equals that of TVM, which a test checks with real wallets.
 */
export function nativeGetter({ codeHash, code, data, method }: NativeCall): StackValue[] | undefined {
  if (method !== 'get_wallet_data') return undefined
  const layout = JETTON_WALLETS.get(codeHash.toString('base64'))
  if (!layout) return undefined
  try {
    const slice = data.slice()
    if (layout === 'status') slice.skip(4)
    const balance = slice.loadCoins()
    const owner = addressSlice(slice)
    const master = addressSlice(slice)
    const walletCode = layout === 'v1' ? slice.loadRefCell() : code
    return [{ type: 'int', value: balance }, owner, master, { type: 'cell', cell: walletCode }]
  } catch (error) {
    // With malformed data the contract decides, so TVM has to run it.
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function addressSlice(slice: Slice): StackValue {
  const start = slice.clone()
  const before = slice.remainingBits
  loadMsgAddress(slice)
  return {
    type: 'slice',
    cell: new Builder().storeBits(start.loadBits(before - slice.remainingBits)).endCell(),
  }
}
