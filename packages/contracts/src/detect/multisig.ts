import type { Cell } from '@shardwalk/cells'
import { type RawAddress, sameAddress } from '@shardwalk/model'
import { readStack } from '../get-methods/stack-reader.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { intValue, readAddressDict } from './stack-values.ts'

/**
 * Multisig v2. `nextOrderSeqno`: -1 or 2^256-1 when order numbers can be chosen freely. Signers and proposers
 * are in index order.
 */
export interface Multisig {
  readonly kind: 'multisig'
  readonly nextOrderSeqno: bigint
  readonly threshold: number
  readonly signers: readonly RawAddress[]
  readonly proposers: readonly RawAddress[]
}

/**
 * An order of a multisig v2, confirmed by the multisig. `expirationDate`: Unix seconds. `signers`: those at
 * the creation of the order.
 */
export interface MultisigOrder {
  readonly kind: 'multisig_order'
  readonly multisig: RawAddress
  readonly orderSeqno: bigint
  readonly threshold: number
  readonly sentForExecution: boolean
  readonly signers: readonly RawAddress[]
  readonly approvalsMask: bigint
  readonly approvalsNum: number
  readonly expirationDate: number
  readonly order: Cell
}

/** Undefined for another contract. Source: ton-blockchain/multisig-contract-v2, `get_multisig_data`. */
export async function detectMultisig(
  contract: ContractState,
  reader: ContractReader,
): Promise<Multisig | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_multisig_data'), {
    nextOrderSeqno: 'int',
    threshold: 'int',
    signers: 'cell?',
    proposers: 'cell?',
  })
  const signers = data && readAddressDict(data.signers, 8)
  const proposers = data && readAddressDict(data.proposers, 8)
  if (!signers || !proposers) return undefined
  return {
    kind: 'multisig',
    nextOrderSeqno: data.nextOrderSeqno,
    threshold: Number(data.threshold),
    signers,
    proposers,
  }
}

/** An order that is not initialised returns null and is not detected. */
export async function detectMultisigOrder(
  contract: ContractState,
  reader: ContractReader,
): Promise<MultisigOrder | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_order_data'), {
    multisig: 'address',
    orderSeqno: 'int',
    threshold: 'int',
    sentForExecution: 'bool',
    signers: 'cell',
    approvalsMask: 'int',
    approvalsNum: 'int',
    expirationDate: 'int',
    order: 'cell',
  })
  const multisig = data && (await reader.find(data.multisig))
  const signers = data && readAddressDict(data.signers, 8)
  if (!multisig || !signers) return undefined
  const named = readStack(
    await callMethod(reader, multisig, 'get_order_address', [intValue(data.orderSeqno)]),
    {
      order: 'address',
    },
  )
  if (!named || !sameAddress(named.order, contract.address)) return undefined
  return {
    kind: 'multisig_order',
    ...data,
    threshold: Number(data.threshold),
    signers,
    approvalsNum: Number(data.approvalsNum),
    expirationDate: Number(data.expirationDate),
  }
}
