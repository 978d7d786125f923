// Ethena: USDe staked into tsUSDe.
import { ETHENA, JETTON } from '@shardwalk/contracts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, built, call, over } from '../core/pattern.ts'
import { walletOf } from '../facts.ts'
import type { Columns } from '../row.ts'
import { internalAmount, jettonTransfer, mintOf, transferOf } from './jettons.ts'
import { stakingData } from './liquid-staking.ts'

/** Jetton master on mainnet. Source: toncenter/ton-indexer, indexer/events/blocks/ethena_staking.py. */
export const USDE = '0:086FA2A675F74347B08DD4606A549B8FDB98829CB282BC1949D3B12FBAED9DCC'
/** Jetton master on mainnet; same source. */
export const TSUSDE = '0:D0E545323C7ACB7102653C073377F7E3C67F122EB94D430A250739F109D4A57D'

/** USDe transferred, for which tsUSDe is minted. */
export const ethenaDeposit: Matcher = {
  name: 'ethena_deposit',
  anchors: ['jetton_transfer'],
  pattern: over(
    jettonTransfer(({ asset }) => asset === USDE),
    built('jetton_mint', (block) => mintOf(block).asset === TSUSDE),
  ),
  build({ anchor, captures }) {
    const paid = transferOf(anchor)
    const minted = mintOf(need(captures.ofType('jetton_mint')[0], 'mint')).amount
    const columns = (): Columns => ({
      source: paid.sender,
      source_secondary: paid.senderWallet,
      destination: paid.receiver,
      amount: paid.amount,
      asset: TSUSDE,
      asset2: USDE,
      ...stakingData('ethena', { minted }),
    })
    return { type: 'ethena_deposit', action: 'stake_deposit', columns }
  },
}

/** tsUSDe goes to a minter, which is not a wallet; USDe returns to a wallet that is locked for a while. */
export const ethenaWithdrawalRequest: Matcher = {
  name: 'ethena_withdrawal_request',
  anchors: [JETTON.transfer],
  pattern: over(
    call(JETTON.transfer),
    as(
      'internal',
      over(
        call(JETTON.internalTransfer),
        over(
          call(JETTON.transferNotification),
          as('mint', over(call(JETTON.mint), as('timelock', call(ETHENA.timelockTransfer)))),
        ),
      ),
    ),
  ),
  build({ anchor, captures, facts }) {
    const internal = need(captures.find('internal'), 'internal transfer')
    const timelock = need(captures.find('timelock'), 'locked transfer')
    const given = need(walletOf(facts, anchor.destination), 'wallet of the staked token')
    const received = need(walletOf(facts, timelock.destination), 'locked wallet')
    if (given.owner !== anchor.source || received.owner !== anchor.source) return undefined
    if (given.jetton !== internal.destination || received.jetton !== timelock.source) return undefined
    const [amount, minted] = [internalAmount(internal), internalAmount(timelock)]
    const columns = (): Columns => ({
      source: anchor.source,
      source_secondary: anchor.destination,
      destination: need(captures.find('mint'), 'mint').source,
      asset: given.jetton,
      amount,
      ...stakingData('ethena', { minted }),
    })
    return { type: 'ethena_withdrawal_request', action: 'stake_withdrawal_request', columns }
  },
}
