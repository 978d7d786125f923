import type { Cell } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { ACTION_SEND_MSG, type ConfigParams } from '@shardwalk/tlb'
import { NodeAccessError } from '../errors.ts'
import { messageFee } from './message-fee.ts'

/** Source: node, crypto/block/transaction.h, `ActionPhaseConfig::max_actions`. */
const MAX_ACTIONS = 255

/**
 * Sum of the forwarding fees of all messages in a list of actions (block.tlb `OutList`), in nanotons, whether
 * or not the account can pay them. The list is what the contract left in c5: any cell. Throws
 * `NodeAccessError`.
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
    if (slice.loadUint(32) === ACTION_SEND_MSG)
      total += messageFee(config, sender, slice.skip(8).loadRefCell())
  }
  return total
}

const refused = (problem: string) => new NodeAccessError('fees_not_estimated', problem)
