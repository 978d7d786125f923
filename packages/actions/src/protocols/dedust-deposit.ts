// DeDust v2 deposits: two assets, sent one after the other to a deposit contract.

import { DEDUST, DEDUST_BODIES, JETTON } from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import { type Block, byLt } from '../core/block.ts'
import { type Draft, type Matcher, need } from '../core/matcher.ts'
import { as, call, either, maybe, over, overList, type Pattern, ton, under } from '../core/pattern.ts'
import { type ContractFacts, walletOf } from '../facts.ts'
import type { AssetAmount, Columns, DexDepositData } from '../row.ts'
import type { Address } from '../trace.ts'
import { depositData } from './dex.ts'
import { internalAmount, readNotification } from './jettons.ts'

/** Data of both deposit blocks. */
export interface DedustDeposit {
  readonly owner: Address | null
  readonly pool: Address | null
  /** The deposit contract. */
  readonly contract: Address | null
  readonly deposit: DexDepositData
}

/** Only for a block whose type has such data; it is not checked. */
export const dedustDepositOf = (block: Block): DedustDeposit => block.data as DedustDeposit

/** Only if the receiving wallet is known; the jetton matcher runs later, so these are raw messages. */
const knownReceiver: Pattern = {
  test: (block, facts) =>
    block.opcode === JETTON.internalTransfer && walletOf(facts, block.destination) !== undefined,
}

const jettonBack = as(
  'jetton_back',
  over(call(JETTON.transfer), over(knownReceiver, maybe(call(JETTON.transferNotification)))),
)
const returned = maybe(
  overList(call(DEDUST.payOutFromDeposit), maybe(jettonBack), maybe(as('ton_back', call(DEDUST.payout)))),
)
const withExcesses = (pattern: Pattern): Pattern => overList(pattern, maybe(ton), returned, returned)

const deposit = either(
  as('deposit', call(DEDUST.depositTon)),
  as(
    'deposit',
    under(
      call(JETTON.transferNotification),
      as('internal', under(call(JETTON.internalTransfer), as('sent', call(JETTON.transfer)))),
    ),
  ),
)

interface Targets {
  readonly assets: readonly [Address | null, Address | null]
  readonly amounts: readonly [bigint, bigint]
}

interface Brought {
  readonly owner: Address | null
  readonly asset: Address | null
  readonly amount: bigint
}

function readBrought(block: Block, facts: ContractFacts): Brought {
  if (block.opcode === DEDUST.depositTon)
    return { owner: block.source, asset: null, amount: fieldsOf(block, DEDUST_BODIES.depositTon).amount }
  const notification = readNotification(block)
  const wallet = need(walletOf(facts, block.source), 'vault wallet')
  return { owner: notification.from, asset: wallet.jetton, amount: notification.amount }
}

function readOwnTargets(block: Block): Targets {
  if (block.opcode === DEDUST.depositTon) {
    const { pool_params, deposit_params } = fieldsOf(block, DEDUST_BODIES.depositTonTargets)
    return targetsOf(pool_params, deposit_params)
  }
  const payload = need(readNotification(block).payload, 'payload')
  const own =
    payload.opcode === DEDUST.depositPayload ? payload.afterOpcode() : payload.slice().loadRefSlice().skip(32)
  const { pool_params, ...amounts } = DEDUST_BODIES.depositPayload(own)
  return targetsOf(pool_params, amounts)
}

const targetsOf = (
  assets: { readonly asset0: Address | null; readonly asset1: Address | null },
  amounts: { readonly asset0_target_balance: bigint; readonly asset1_target_balance: bigint },
): Targets => ({
  assets: [assets.asset0, assets.asset1],
  amounts: [amounts.asset0_target_balance, amounts.asset1_target_balance],
})

const targetColumns = ({ assets, amounts }: Targets) => ({
  target_asset_1: assets[0],
  target_asset_2: assets[1],
  target_amount_1: amounts[0],
  target_amount_2: amounts[1],
})

/** Of every DeDust deposit: with vaults and without, single assets, and both once they are joined. */
export const depositColumns = ({ owner, pool, contract, deposit }: DedustDeposit): Columns => ({
  source: owner,
  destination: pool,
  destination_secondary: contract,
  dex_deposit_liquidity_data: deposit,
})

function draft(type: string, data: DedustDeposit, failed: boolean): Draft {
  return { type, action: 'dex_deposit_liquidity', failed, data, columns: () => depositColumns(data) }
}

const finalDeposit: Matcher = {
  name: 'dedust_deposit',
  anchors: [DEDUST.depositToPool],
  pattern: under(
    overList(
      call(DEDUST.depositToPool),
      either(
        as('lp', over(call(JETTON.internalTransfer), maybe(call(JETTON.transferNotification)))),
        as('rejection', withExcesses(call(DEDUST.rejectDeposit))),
      ),
      maybe(withExcesses(call(DEDUST.fulfilDeposit))),
    ),
    under(
      call(DEDUST.depositAsset),
      under(over(call(DEDUST.createDeposit), maybe(call(DEDUST.install))), deposit),
    ),
  ),
  build({ anchor, captures, facts }) {
    const order = fieldsOf(anchor, DEDUST_BODIES.depositToPool)
    const owner = order.owner_addr
    const brought = readBrought(need(captures.find('deposit'), 'deposit'), facts)
    const lp = captures.find('lp')
    const sent = captures.find('sent')
    const ownWallet = sent?.source === owner && walletOf(facts, sent?.destination)?.jetton === brought.asset
    const data: DedustDeposit = {
      owner,
      contract: anchor.source,
      pool: lp ? anchor.destination : need(captures.find('rejection'), 'rejection').source,
      deposit: depositData('dedust', {
        asset1: brought.asset,
        amount1: brought.amount,
        user_jetton_wallet_1: ownWallet && sent ? sent.destination : null,
        lp_tokens_minted: lp ? internalAmount(lp) : null,
        vault_excesses: readExcesses(captures.all('ton_back'), captures.all('jetton_back'), { owner, facts }),
        ...targetColumns({
          assets: [order.asset0, order.asset1],
          amounts: [order.asset0_amount, order.asset1_amount],
        }),
      }),
    }
    return draft('dedust_deposit_liquidity', data, lp === undefined)
  },
}

/** The deposit contract's order to a vault, which determines the order of returns. */
const orderOf = (block: Block): Block => block.previous ?? block

/**
 * What the vaults returned to the owner: TON, then jettons, those of the latest order first. Clients compare
 * the list as a set.
 */
function readExcesses(
  tons: readonly Block[],
  jettons: readonly Block[],
  { owner, facts }: { owner: Address | null; facts: ContractFacts },
): AssetAmount[] {
  const ton = tons
    .filter(({ destination }) => destination === owner)
    .map(({ value }) => ({ asset: null, amount: value }))
  const latestFirst = [...jettons].sort((a, b) => byLt(orderOf(b), orderOf(a)))
  const jetton = latestFirst.flatMap((block) => {
    const internal = block.next.find(({ opcode }) => opcode === JETTON.internalTransfer)
    const wallet = walletOf(facts, internal?.destination)
    return internal && wallet?.owner === owner
      ? [{ asset: wallet.jetton, amount: internalAmount(internal) }]
      : []
  })
  return [...ton, ...jetton]
}

const firstDeposit: Matcher = {
  name: 'dedust_first_deposit',
  anchors: [DEDUST.depositAsset],
  pattern: under(
    call(DEDUST.depositAsset),
    under(over(call(DEDUST.createDeposit), call(DEDUST.install)), deposit),
  ),
  build({ anchor, captures, facts }) {
    if (anchor.next.some(({ opcode }) => opcode === DEDUST.depositToPool || opcode === DEDUST.rejectDeposit))
      return undefined
    const block = need(captures.find('deposit'), 'deposit')
    const brought = readBrought(block, facts)
    const data: DedustDeposit = {
      owner: brought.owner,
      contract: anchor.destination,
      pool: null,
      deposit: depositData('dedust', {
        asset1: brought.asset,
        amount1: brought.amount,
        user_jetton_wallet_1: captures.find('internal')?.source ?? null,
        ...targetColumns(readOwnTargets(block)),
      }),
    }
    return draft('dedust_deposit_liquidity_partial', data, false)
  },
}

/** The second asset, with what the pool did, and the first one on its own. */
export const dedustDeposits: readonly Matcher[] = [finalDeposit, firstDeposit]
