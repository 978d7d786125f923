// Coffee: vaults and pools made, protection against reordering, staking.
import type { Slice } from '@shardwalk/cells'
import { bodyAfterQuery, bodyWithQuery, loadAddress } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { anyBlock, as, built, call, either, log, maybe, over, overList, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { DEPLOY_CONTRACT, DEPOSIT_EVENT, loadCoffeeAsset, loadPoolParams, NOTIFICATION } from './coffee.ts'
import {
  INTERNAL_TRANSFER,
  internalAmount,
  isJettonTransfer,
  jettonTransfer,
  transferOf,
  withPayload,
} from './jettons.ts'
import { nftMintOf } from './nft-mint.ts'

const CREATE_POOL_NATIVE = 0xc0ffee02
const CREATE_POOL_EXTRA = 0xc0ffee03
const CREATE_POOL_JETTON = 0xc0ffee11
const CREATE_VAULT = 0xc0ffee06
const POOL_CREATOR_REQUEST = 0xc0ffee23
const CREATE_POOL_REQUEST = 0xc0ffee25
const SERVICE_FEE = 0xc0ffeea0
const HOLD_FUNDS = 0x6bc79e7e
const FAILED_SWAP = 0xee51ce51
const STAKE = 0xf9471134
const CLAIM = 0xb30c7310
const UNSTAKE = 0xcb03bfaf
const PROVIDE_WALLET = 0x2c76b973
const TAKE_WALLET = 0xd1735400
const EXCESS = 0xd53276db

const createVault: Matcher = {
  name: 'coffee_create_vault',
  anchors: [CREATE_VAULT],
  pattern: over(
    call(CREATE_VAULT),
    as('deploy', over(call(DEPLOY_CONTRACT), maybe(over(call(PROVIDE_WALLET), maybe(call(TAKE_WALLET)))))),
  ),
  build({ anchor, captures }) {
    const asset = loadCoffeeAsset(bodyAfterQuery(anchor))
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

/** Pool parameters, then `recipient:Addr ...` of the creation. */
function readCreation(slice: Slice) {
  const { first, second } = loadPoolParams(slice)
  return { first, second, recipient: loadAddress(slice) }
}

function readProvided(block: Block) {
  if (isJettonTransfer(block)) {
    const { sender, senderWallet, asset, amount, request } = transferOf(block)
    const payload = need(request.payload, 'payload')
    if (payload.opcode !== CREATE_POOL_JETTON) return undefined
    return { sender, senderWallet, provided: asset, amount, ...readCreation(payload.afterOpcode()) }
  }
  const body = bodyAfterQuery(block)
  const amount = body.loadCoins()
  return { sender: block.source, senderWallet: null, provided: null, amount, ...readCreation(body) }
}

const createPoolCreator: Matcher = {
  name: 'coffee_create_pool_creator',
  anchors: [POOL_CREATOR_REQUEST],
  pattern: under(
    over(call(POOL_CREATOR_REQUEST), as('deploy', call(DEPLOY_CONTRACT))),
    as('in', either(jettonTransfer(), call(CREATE_POOL_NATIVE, CREATE_POOL_EXTRA))),
  ),
  build({ captures }) {
    const source = need(captures.find('in'), 'request')
    const provided = source.opcode === CREATE_POOL_EXTRA ? undefined : readProvided(source)
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
        call(CREATE_POOL_REQUEST),
        as(
          'deploy',
          overList(
            call(DEPLOY_CONTRACT),
            as('lp', over(call(INTERNAL_TRANSFER), maybe(call(EXCESS)))),
            log(DEPOSIT_EVENT),
            maybe(over(call(NOTIFICATION), maybe(call(0xb216d31f)))),
          ),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const creator = anchor.data as PoolCreator
    const body = bodyAfterQuery(need(captures.find('request'), 'request'))
    const asked = [
      { amount: body.loadCoins(), initiator: creator.sender },
      { amount: body.loadCoins(), initiator: loadAddress(body) },
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
  anchors: [HOLD_FUNDS, 'jetton_transfer'],
  pattern: under(either(call(HOLD_FUNDS), withPayload(HOLD_FUNDS)), maybe(over(anyBlock, call(SERVICE_FEE)))),
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
  anchors: [FAILED_SWAP, 'jetton_transfer'],
  pattern: either(call(FAILED_SWAP), withPayload(FAILED_SWAP)),
  build({ anchor }) {
    const transfer = isJettonTransfer(anchor) ? transferOf(anchor) : undefined
    const body = transfer
      ? need(transfer.request.payload, 'payload').afterOpcode()
      : anchor.node.body().skip(32)
    const recipient = loadAddress(body.skip(64))
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
    as('pool', overList(call(STAKE), maybe(call(STAKE)), as('minted', built('nft_mint')))),
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
  anchors: [UNSTAKE],
  pattern: over(
    call(UNSTAKE),
    as(
      'to_pool',
      overList(
        call(UNSTAKE),
        as('to_vault', overList(call(UNSTAKE), as('out', jettonTransfer()))),
        maybe(call(UNSTAKE)),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const toPool = need(captures.find('to_pool'), 'order to the pool')
    const order = bodyAfterQuery(toPool)
    const index = order.loadUintBig(64)
    const owner = loadAddress(order)
    const points = order.loadCoins()
    const payment = bodyAfterQuery(need(captures.find('to_vault'), 'order to pay'))
    const poolWallet = loadAddress(payment)
    const amount = payment.loadCoins()
    const paid = transferOf(need(captures.find('out'), 'transfer'))
    const columns = (): Columns => ({
      source: owner,
      source_secondary: paid.receiverWallet,
      destination: toPool.source,
      destination_secondary: poolWallet,
      asset: paid.asset,
      amount,
      coffee_staking_withdraw_data: { nft_address: anchor.destination, nft_index: index, points },
    })
    return { type: 'coffee_staking_withdraw', columns }
  },
}

const claimRewards: Matcher = {
  name: 'coffee_staking_claim_rewards',
  anchors: [CLAIM],
  pattern: overList(call(CLAIM), as('out', jettonTransfer()), maybe(log(CLAIM))),
  build({ anchor, captures }) {
    const { body } = bodyWithQuery(anchor)
    const poolWallet = loadAddress(body)
    const amount = body.loadCoins()
    const receiver = loadAddress(body)
    const paid = transferOf(need(captures.find('out'), 'transfer'))
    const columns = (): Columns => ({
      source: anchor.destination,
      source_secondary: poolWallet,
      destination: receiver,
      destination_secondary: paid.receiverWallet,
      asset: paid.asset,
      amount,
    })
    return { type: 'coffee_staking_claim_rewards', columns }
  },
}

export const coffeePools: readonly Matcher[] = [
  createVault,
  createPoolCreator,
  createPool,
  holdFunds,
  failedSwap,
]
export const coffeeStaking: readonly Matcher[] = [stakingDeposit, stakingWithdraw, claimRewards]
