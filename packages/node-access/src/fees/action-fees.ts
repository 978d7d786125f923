import { type Cell, loadMsgAddress } from '@shardwalk/cells'
import { DecodeError, MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { type ConfigParams, forwardPrices } from '@shardwalk/tlb'
import { NodeAccessError } from '../errors.ts'
import { forwardFee } from './fee-rules.ts'

/** Maximum number of actions that tonlib counts. Source: ton/tonlib `TonlibClient.cpp`, `calc_fwd_fees`. */
const MAX_ACTIONS = 20
/** Source: block.tlb `OutAction`. */
const ACTION = { sendMessage: 0x0ec3c86d, setCode: 0xad4de08e }

/**
 * Sum of the forwarding fees of all messages in a list of actions (block.tlb `OutList`), in nanotons. The
 * list is what the contract left in c5: any cell. Throws `NodeAccessError`.
 */
export function actionFees(config: ConfigParams, sender: RawAddress, list: Cell): bigint {
  try {
    return sumFees(config, sender, list)
  } catch (error) {
    throw error instanceof DecodeError ? refused('the actions of the contract cannot be read') : error
  }
}

function sumFees(config: ConfigParams, sender: RawAddress, list: Cell): bigint {
  let total = 0n
  let rest = list
  for (let count = 1; rest.refs.length > 0; count++) {
    if (count > MAX_ACTIONS) throw refused('too many actions')
    const slice = rest.slice()
    rest = slice.loadRefCell()
    const tag = slice.loadUint(32)
    if (tag === ACTION.setCode) throw refused('action_set_code unsupported')
    if (tag === ACTION.sendMessage) total += messageFee(config, sender, slice.skip(8).loadRefCell())
  }
  return total
}

function messageFee(config: ConfigParams, sender: RawAddress, message: Cell): bigint {
  const slice = message.slice()
  if (slice.loadBit()) throw refused('destination is not an internal address')
  loadMsgAddress(slice.skip(3))
  const destination = loadMsgAddress(slice)
  if (destination.type !== 'std') throw refused('destination is not an internal address')
  const isMasterchain = [sender.workchain, destination.address.workchain].includes(MASTERCHAIN)
  return forwardFee(forwardPrices(config, isMasterchain), message)
}

const refused = (problem: string) => new NodeAccessError('fees_not_estimated', problem)
