// Coffee: creation of vaults and pools, MEV protection, staking.

import { COFFEE, COFFEE_BODIES, JETTON, JETTON_DISCOVERY } from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { anyBlock, as, built, call, either, log, maybe, over, overList, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { internalAmount, isJettonTransfer, jettonTransfer, transferOf, withPayload } from './jettons.ts'
import { nftMintOf } from './nft-mint.ts'

const createVault: Matcher = {
  name: 'coffee_create_vault',
  anchors: [COFFEE.createVault],
  pattern: over(
    call(COFFEE.createVault),
    as(
      'deploy',
      over(
        call(COFFEE.deploy),
        maybe(
          over(call(JETTON_DISCOVERY.provideWalletAddress), maybe(call(JETTON_DISCOVERY.takeWalletAddress))),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const { asset } = fieldsOf(anchor, COFFEE_BODIES.createVault)
    const vault = need(captures.find('deploy'), 'vault').destination
    return {
      type: 'coffee_create_vault',
      columns: () => ({ source: anchor.source, destination: vault, asset, value: anchor.value }),
    }
  },
}

/** Data of a `coffee_create_pool_creator` block. */
interface PoolCreator {
  readonly sender: Address | null
  readonly senderWallet: Address | null
  readonly recipient: Address | null
  readonly contract: Address | null
  readonly provided: Address | null
  readonly first: Address | null
  readonly second: Address | null
  readonly amount: bigint
}

type Creation = ReturnType<typeof COFFEE_BODIES.createPoolPayload>

const creationOf = ({ params, creation_params }: Creation) => ({
  ...params,
  recipient: creation_params.public.recipient,
})

function readProvided(block: Block) {
  if (isJettonTransfer(block)) {
    const { sender, senderWallet, asset, amount, request } = transferOf(block)
    const payload = need(request.payload, 'payload')
    if (payload.opcode !== COFFEE.createPoolJetton) return undefined
    return {
      sender,
      senderWallet,
      provided: asset,
      amount,
      ...creationOf(COFFEE_BODIES.createPoolPayload(payload.afterOpcode())),
    }
  }
  const { amount, ...creation } = fieldsOf(block, COFFEE_BODIES.createPoolNative)
  return { sender: block.source, senderWallet: null, provided: null, amount, ...creationOf(creation) }
}

const createPoolCreator: Matcher = {
  name: 'coffee_create_pool_creator',
  anchors: [COFFEE.poolCreatorRequest],
  pattern: under(
    over(call(COFFEE.poolCreatorRequest), as('deploy', call(COFFEE.deploy))),
    as('in', either(jettonTransfer(), call(COFFEE.createPoolNative, COFFEE.createPoolExtra))),
  ),
  build({ captures }) {
    const source = need(captures.find('in'), 'request')
    const provided = source.opcode === COFFEE.createPoolExtra ? undefined : readProvided(source)
    if (!provided) return undefined
    const data: PoolCreator = { ...provided, contract: need(captures.find('deploy'), 'creator').destination }
    const columns = (): Columns => ({
      source: data.sender,
      source_secondary: data.senderWallet,
      destination: data.recipient,
      destination_secondary: data.contract,
      asset: data.provided,
      asset2: data.first,
      asset2_secondary: data.second,
      amount: data.amount,
    })
    return { type: 'coffee_create_pool_creator', data, columns }
  },
}

const createPool: Matcher = {
  name: 'coffee_create_pool',
  anchors: ['coffee_create_pool_creator'],
  pattern: over(
    built('coffee_create_pool_creator'),
    as(
      'request',
      over(
        call(COFFEE.createPoolRequest),
        as(
          'deploy',
          overList(
            call(COFFEE.deploy),
            as('lp', over(call(JETTON.internalTransfer), maybe(call(JETTON.excesses)))),
            log(COFFEE.depositEvent),
            maybe(over(call(COFFEE.notification), maybe(call(COFFEE.createPoolExcesses)))),
          ),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const creator = anchor.data as PoolCreator
    const request = fieldsOf(need(captures.find('request'), 'request'), COFFEE_BODIES.createPoolRequest)
    const asked = [
      { amount: request.amount1, initiator: creator.sender },
      { amount: request.amount2, initiator: request.tx_initiator },
    ] as const
    const isFirst = creator.provided === creator.first
    const isSecond = !isFirst && creator.provided === creator.second
    const [own, other] = isSecond ? [asked[1], asked[0]] : [asked[0], asked[1]]
    const columns = (): Columns => ({
      source: creator.sender,
      source_secondary: creator.senderWallet,
      destination: need(captures.find('deploy'), 'pool').destination,
      destination_secondary: creator.contract,
      asset: isSecond ? creator.provided : creator.first,
      asset2: isSecond ? creator.first : creator.second,
      amount: creator.amount,
      coffee_create_pool_data: {
        amount_1: own.amount,
        amount_2: other.amount,
        initiator_1: own.initiator,
        initiator_2: other.initiator,
        provided_asset: creator.provided,
        lp_tokens_minted: internalAmount(need(captures.find('lp'), 'LP tokens')),
      },
    })
    return { type: 'coffee_create_pool', columns }
  },
}

const holdFunds: Matcher = {
  name: 'coffee_mev_protect_hold_funds',
  anchors: [COFFEE.holdFunds, 'jetton_transfer'],
  pattern: under(
    either(call(COFFEE.holdFunds), withPayload(COFFEE.holdFunds)),
    maybe(over(anyBlock, call(COFFEE.serviceFee))),
  ),
  build({ anchor }) {
    const transfer = isJettonTransfer(anchor) ? transferOf(anchor) : undefined
    const columns = (): Columns => ({
      source: transfer ? transfer.sender : anchor.source,
      source_secondary: transfer?.senderWallet ?? null,
      destination: transfer ? transfer.receiver : anchor.destination,
      asset: transfer?.asset ?? null,
      amount: transfer?.amount ?? anchor.value,
    })
    return { type: 'coffee_mev_protect_hold_funds', columns }
  },
}

const failedSwap: Matcher = {
  name: 'coffee_mev_protect_failed_swap',
  anchors: [COFFEE.failedSwap, 'jetton_transfer'],
  pattern: either(call(COFFEE.failedSwap), withPayload(COFFEE.failedSwap)),
  build({ anchor }) {
    const transfer = isJettonTransfer(anchor) ? transferOf(anchor) : undefined
    const { recipient } = transfer
      ? COFFEE_BODIES.failedSwapPayload(need(transfer.request.payload, 'payload').afterOpcode())
      : fieldsOf(anchor, COFFEE_BODIES.failedSwap)
    const columns = (): Columns => ({
      source: transfer ? transfer.sender : anchor.source,
      source_secondary: transfer?.senderWallet ?? null,
      destination: recipient,
      asset: transfer?.asset ?? null,
      amount: transfer?.amount ?? anchor.value,
    })
    return { type: 'coffee_mev_protect_failed_swap', columns }
  },
}

const stakingDeposit: Matcher = {
  name: 'coffee_staking_deposit',
  anchors: ['jetton_transfer'],
  pattern: over(
    jettonTransfer(),
    as('pool', overList(call(COFFEE.stake), maybe(call(COFFEE.stake)), as('minted', built('nft_mint')))),
  ),
  build({ anchor, captures }) {
    const transfer = transferOf(anchor)
    const minted = nftMintOf(need(captures.find('minted'), 'position'))
    const columns = (): Columns => ({
      source: transfer.sender,
      source_secondary: transfer.senderWallet,
      destination: need(captures.find('pool'), 'pool').destination,
      destination_secondary: transfer.receiverWallet,
      asset: transfer.asset,
      amount: transfer.amount,
      coffee_staking_deposit_data: { minted_item_address: minted.item, minted_item_index: minted.index },
    })
    return { type: 'coffee_staking_deposit', columns }
  },
}

/** Three messages share the opcode: owner to position, position to pool, pool to vault. */
const stakingWithdraw: Matcher = {
  name: 'coffee_staking_withdraw',
  anchors: [COFFEE.unstake],
  pattern: over(
    call(COFFEE.unstake),
    as(
      'to_pool',
      overList(
        call(COFFEE.unstake),
        as('to_vault', overList(call(COFFEE.unstake), as('out', jettonTransfer()))),
        maybe(call(COFFEE.unstake)),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const toPool = need(captures.find('to_pool'), 'order to the pool')
    const { nft_index, owner, points } = fieldsOf(toPool, COFFEE_BODIES.unstakeToPool)
    const toVault = need(captures.find('to_vault'), 'order to pay')
    const payment = fieldsOf(toVault, COFFEE_BODIES.unstakeToVault)
    const paid = transferOf(need(captures.find('out'), 'transfer'))
    const columns = (): Columns => ({
      source: owner,
      source_secondary: paid.receiverWallet,
      destination: toPool.source,
      destination_secondary: payment.jetton_wallet,
      asset: paid.asset,
      amount: payment.amount,
      coffee_staking_withdraw_data: { nft_address: anchor.destination, nft_index, points },
    })
    return { type: 'coffee_staking_withdraw', columns }
  },
}

const claimRewards: Matcher = {
  name: 'coffee_staking_claim_rewards',
  anchors: [COFFEE.claim],
  pattern: overList(call(COFFEE.claim), as('out', jettonTransfer()), maybe(log(COFFEE.claim))),
  build({ anchor, captures }) {
    const order = fieldsOf(anchor, COFFEE_BODIES.claimRewards)
    const paid = transferOf(need(captures.find('out'), 'transfer'))
    const columns = (): Columns => ({
      source: anchor.destination,
      source_secondary: order.jetton_wallet,
      destination: order.receiver,
      destination_secondary: paid.receiverWallet,
      asset: paid.asset,
      amount: order.jetton_amount,
    })
    return { type: 'coffee_staking_claim_rewards', columns }
  },
}

/** Vaults and pools that are created, and what the protection against MEV holds back or returns. */
export const coffeePools: readonly Matcher[] = [
  createVault,
  createPoolCreator,
  createPool,
  holdFunds,
  failedSwap,
]
/** Of tokens of liquidity. */
export const coffeeStaking: readonly Matcher[] = [stakingDeposit, stakingWithdraw, claimRewards]
