import { EMPTY_CELL } from '@shardwalk/cells'
import { BASECHAIN, type RawAddress } from '@shardwalk/model'
import { type StackValue, storeStack } from '../get-methods/stack.ts'
import type { Detected, DetectedKind } from './detect-contract.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { addressValue, intValue } from './stack-values.ts'

interface Question {
  readonly method: string
  readonly args: readonly StackValue[]
}

const NOBODY: RawAddress = { workchain: BASECHAIN, hash: Buffer.alloc(32) }
const FIRST = intValue(0)

/**
 * What wallets, items and orders ask the contract that confirms them, with arguments that no real one has:
 * the answer changes with what all answers share (code of wallets and items, common content), not with a
 * mint.
 */
const QUESTIONS: Partial<Readonly<Record<DetectedKind, readonly Question[]>>> = {
  jetton_master: [{ method: 'get_wallet_address', args: [addressValue(NOBODY)] }],
  nft_collection: [
    { method: 'get_nft_address_by_index', args: [FIRST] },
    { method: 'get_nft_content', args: [FIRST, { type: 'cell', cell: EMPTY_CELL }] },
  ],
  multisig: [{ method: 'get_order_address', args: [FIRST] }],
}

/**
 * Hashes of what a contract answers to those who rely on it, as text. When it changes, their roles and
 * contents may change. Undefined when it has no role that others rely on.
 */
export async function reliedAnswers(
  contract: ContractState,
  reader: ContractReader,
  found: readonly Detected[],
): Promise<string | undefined> {
  const answers: string[] = []
  for (const { kind } of found)
    for (const { method, args } of QUESTIONS[kind] ?? []) {
      const answer = await callMethod(reader, contract, method, args)
      answers.push(`${method}:${answer ? storeStack(answer).hash().toString('hex') : ''}`)
    }
  return answers.length > 0 ? answers.join() : undefined
}
