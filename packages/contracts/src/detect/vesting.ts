import type { Cell } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'
import { readStack } from '../get-methods/stack-reader.ts'
import { hasCode } from '../interfaces/code-hashes.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { readDict } from './stack-values.ts'

/**
 * Vesting wallet. Times in Unix seconds, periods in seconds, amount in nanotons; whitelist in key order
 * (workchain, then account id).
 */
export interface Vesting {
  readonly kind: 'vesting'
  readonly startTime: number
  readonly totalDuration: number
  readonly unlockPeriod: number
  readonly cliffDuration: number
  readonly totalAmount: bigint
  readonly sender: RawAddress
  readonly owner: RawAddress
  readonly whitelist: readonly RawAddress[]
}

/** Undefined unless the code is that of the vesting wallet. */
export async function detectVesting(
  contract: ContractState,
  reader: ContractReader,
): Promise<Vesting | undefined> {
  if (!hasCode(contract.codeHash, 'wallet_vesting')) return undefined
  const data = readStack(await callMethod(reader, contract, 'get_vesting_data'), {
    startTime: 'int',
    totalDuration: 'int',
    unlockPeriod: 'int',
    cliffDuration: 'int',
    totalAmount: 'int',
    sender: 'address',
    owner: 'address',
    // Null while the whitelist is empty.
    whitelist: 'cell?',
  })
  const whitelist = data && readWhitelist(data.whitelist)
  if (!whitelist) return undefined
  return {
    kind: 'vesting',
    startTime: Number(data.startTime),
    totalDuration: Number(data.totalDuration),
    unlockPeriod: Number(data.unlockPeriod),
    cliffDuration: Number(data.cliffDuration),
    totalAmount: data.totalAmount,
    sender: data.sender,
    owner: data.owner,
    whitelist,
  }
}

/** Keys of 264 bits: workchain (int8), then account id. */
function readWhitelist(root: Cell | undefined): RawAddress[] | undefined {
  const addresses = readDict(root, 264, (_value, key): RawAddress => {
    const bytes = key.toBuffer()
    return { workchain: bytes.readInt8(0), hash: Buffer.from(bytes.subarray(1)) }
  })
  return addresses?.sort((a, b) => a.workchain - b.workchain || a.hash.compare(b.hash))
}
