// DeDust v2 deposits: two assets, brought one after the other to a deposit contract.
import type { Slice } from '@shardwalk/cells'
import { bodyAfterQuery, loadAddress } from '../body.ts'
import { type Block, byLt } from '../core/block.ts'
import { type Draft, type Matcher, need } from '../core/matcher.ts'
import { as, call, either, maybe, over, overList, type Pattern, ton, under } from '../core/pattern.ts'
import { type ContractFacts, walletOf } from '../facts.ts'
import type { AssetAmount, Columns, DexDepositData } from '../row.ts'
import type { Address } from '../trace.ts'
import { loadAsset, PAYOUT } from './dedust.ts'
import { depositData } from './dex.ts'
import {
  INTERNAL_TRANSFER,
  internalAmount,
  JETTON_TRANSFER,
  readNotification,
  TRANSFER_NOTIFICATION,
} from './jettons.ts'

const DEPOSIT_TON = 0xd55e4686
const DEPOSIT_PAYLOAD = 0x40e108d6
const ASK_FACTORY = 0xf04ec526
const DEPLOY_DEPOSIT = 0x9b3aa3fa
const TOP_UP = 0x54240fe5
const DEPOSIT_TO_POOL = 0xb56b9598
const DESTROY_DEPOSIT = 0xaae79256
const RETURN_EXCESS = 0x6b0b787f
const REJECTION = 0xe1a36cd4

/** Data of both deposit blocks. */
export interface DedustDeposit {
  readonly owner: Address | null
  readonly pool: Address | null
  /** The deposit contract. */
  readonly contract: Address | null
  readonly deposit: DexDepositData
}

export const dedustDepositOf = (block: Block): DedustDeposit => block.data as DedustDeposit

/** Only where the receiving wallet is known; the jetton matcher runs later, so these are raw messages. */
const knownReceiver: Pattern = {
  test: (block, facts) =>
    block.opcode === INTERNAL_TRANSFER && walletOf(facts, block.destination) !== undefined,
}

const jettonBack = as(
  'jetton_back',
  over(call(JETTON_TRANSFER), over(knownReceiver, maybe(call(TRANSFER_NOTIFICATION)))),
)
const returned = maybe(overList(call(RETURN_EXCESS), maybe(jettonBack), maybe(as('ton_back', call(PAYOUT)))))
const withExcesses = (pattern: Pattern): Pattern => overList(pattern, maybe(ton), returned, returned)

const deposit = either(
  as('deposit', call(DEPOSIT_TON)),
  as(
    'deposit',
    under(
      call(TRANSFER_NOTIFICATION),
      as('internal', under(call(INTERNAL_TRANSFER), as('sent', call(JETTON_TRANSFER)))),
    ),
  ),
)

interface Targets {
  readonly assets: readonly [Address | null, Address | null]
  readonly amounts: readonly [bigint, bigint]
}

/** `asset0:Asset amount0:Coins asset1:Asset amount1:Coins` of the order to the pool. */
function readPoolTargets(slice: Slice): Targets {
  const asset0 = loadAsset(slice)
  const amount0 = slice.loadCoins()
  const asset1 = loadAsset(slice)
  return { assets: [asset0, asset1], amounts: [amount0, slice.loadCoins()] }
}

/** `pool_type:1 asset0 asset1`, then in `amounts` `min_lp:Coins target0:Coins target1:Coins`. */
function readTargets(slice: Slice, amountsOf: (slice: Slice) => Slice): Targets {
  const assets = [loadAsset(slice.skip(1)), loadAsset(slice)] as const
  const amounts = amountsOf(slice)
  amounts.loadCoins()
  return { assets, amounts: [amounts.loadCoins(), amounts.loadCoins()] }
}

interface Brought {
  readonly owner: Address | null
  readonly asset: Address | null
  readonly amount: bigint
}

function readBrought(block: Block, facts: ContractFacts): Brought {
  if (block.opcode === DEPOSIT_TON)
    return { owner: block.source, asset: null, amount: bodyAfterQuery(block).loadCoins() }
  const notification = readNotification(block)
  const wallet = need(walletOf(facts, block.source), 'vault wallet')
  return { owner: notification.from, asset: wallet.jetton, amount: notification.amount }
}

function readOwnTargets(block: Block): Targets {
  if (block.opcode === DEPOSIT_TON) {
    const body = bodyAfterQuery(block)
    body.loadCoins()
    return readTargets(body, (slice) => slice.loadRefSlice())
  }
  const payload = need(readNotification(block).payload, 'payload')
  const own =
    payload.opcode === DEPOSIT_PAYLOAD ? payload.afterOpcode() : payload.slice().loadRefSlice().skip(32)
  return readTargets(own, (slice) => slice)
}

const targetColumns = ({ assets, amounts }: Targets) => ({
  target_asset_1: assets[0],
  target_asset_2: assets[1],
  target_amount_1: amounts[0],
  target_amount_2: amounts[1],
})

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
  anchors: [DEPOSIT_TO_POOL],
  pattern: under(
    overList(
      call(DEPOSIT_TO_POOL),
      either(
        as('lp', over(call(INTERNAL_TRANSFER), maybe(call(TRANSFER_NOTIFICATION)))),
        as('rejection', withExcesses(call(REJECTION))),
      ),
      maybe(withExcesses(call(DESTROY_DEPOSIT))),
    ),
    under(call(TOP_UP), under(over(call(ASK_FACTORY), maybe(call(DEPLOY_DEPOSIT))), deposit)),
  ),
  build({ anchor, captures, facts }) {
    const body = bodyAfterQuery(anchor)
    body.skipRefs(1)
    const owner = loadAddress(body)
    const targets = readPoolTargets(body.loadRefSlice())
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
        ...targetColumns(targets),
      }),
    }
    return draft('dedust_deposit_liquidity', data, lp === undefined)
  },
}

/** The deposit contract's order to a vault: what a return is sorted by. */
const orderOf = (block: Block): Block => block.previous ?? block

/** What the vaults gave back to the owner: TON, then jettons, the last ordered first. Readers compare the list as a set. */
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
    const internal = block.next.find(({ opcode }) => opcode === INTERNAL_TRANSFER)
    const wallet = walletOf(facts, internal?.destination)
    return internal && wallet?.owner === owner
      ? [{ asset: wallet.jetton, amount: internalAmount(internal) }]
      : []
  })
  return [...ton, ...jetton]
}

const firstDeposit: Matcher = {
  name: 'dedust_first_deposit',
  anchors: [TOP_UP],
  pattern: under(call(TOP_UP), under(over(call(ASK_FACTORY), call(DEPLOY_DEPOSIT)), deposit)),
  build({ anchor, captures, facts }) {
    if (anchor.next.some(({ opcode }) => opcode === DEPOSIT_TO_POOL || opcode === REJECTION)) return undefined
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

export const dedustDeposits: readonly Matcher[] = [finalDeposit, firstDeposit]
