import type { RawAddress } from '@shardwalk/model'
import { readStack } from '../get-methods/stack-reader.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { readSnakeString } from './stack-values.ts'

/**
 * Telegram username or number. Amounts in nanotons, times in Unix seconds. `auction`: set while an auction
 * runs; `config`: undefined when there is none.
 */
export interface TelemintItem {
  readonly kind: 'telemint'
  readonly tokenName: string
  readonly auction:
    | {
        readonly bidder: RawAddress | undefined
        readonly bid: bigint
        readonly bidAt: bigint
        readonly minBid: bigint
        readonly endTime: bigint
      }
    | undefined
  readonly config: {
    /** The contract returns null when the auction has no configuration; the amounts are 0 then. */
    readonly beneficiary: RawAddress | undefined
    readonly initialMinBid: bigint
    readonly maxBid: bigint
    readonly minBidStep: bigint
    readonly minExtendTime: bigint
    readonly duration: bigint
  }
  readonly royalty: {
    readonly numerator: bigint
    readonly denominator: bigint
    readonly destination: RawAddress
  }
}

/** Undefined for another contract. Source: TelegramMessenger/telemint, `get_telemint_token_name`. */
export async function detectTelemint(
  contract: ContractState,
  reader: ContractReader,
): Promise<TelemintItem | undefined> {
  const name = readStack(await callMethod(reader, contract, 'get_telemint_token_name'), { name: 'slice' })
  const tokenName = name && readSnakeString(name.name)
  if (tokenName === undefined) return undefined
  const config = readStack(await callMethod(reader, contract, 'get_telemint_auction_config'), {
    beneficiary: 'address?',
    initialMinBid: 'int',
    maxBid: 'int',
    minBidStep: 'int',
    minExtendTime: 'int',
    duration: 'int',
  })
  const royalty = readStack(await callMethod(reader, contract, 'royalty_params'), {
    numerator: 'int',
    denominator: 'int',
    destination: 'address',
  })
  if (!config || !royalty) return undefined
  // The method throws when no auction is running.
  const auction = readStack(await callMethod(reader, contract, 'get_telemint_auction_state'), {
    bidder: 'address?',
    bid: 'int',
    bidAt: 'int',
    minBid: 'int',
    endTime: 'int',
  })
  return { kind: 'telemint', tokenName, auction, config, royalty }
}
