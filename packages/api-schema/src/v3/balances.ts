import type { AccountId, RawAddress } from '@shardwalk/model'
import * as z from 'zod'
import { listOf, needed, optional, required, withDefault } from '../parameters.ts'
import { addressKind, seqnoKind, utimeKind, type ValueKind, wordKind } from '../value-kinds.ts'
import { needsOneOf } from './account-queries.ts'
import type { AddressOf } from './contract-text.ts'
import { page, sorted } from './queries.ts'
import { AddressBookReply, address, digits, int, MetadataReply } from './replies.ts'
import type { Json } from './text.ts'

/** `TON`, or the address of a jetton master. */
const assetKind: ValueKind<RawAddress | 'TON'> = {
  noun: 'an asset',
  accepts: `TON, or the address of a jetton master: ${addressKind.accepts}`,
  parse: (text) => {
    if (text.toUpperCase() === 'TON') return { value: 'TON' }
    const parsed = addressKind.parse(text)
    return 'value' in parsed ? parsed : { problem: 'is not an asset' }
  },
  schema: { type: 'string', examples: ['TON'] },
}

/** The smallest unit of a jetton, in which amounts are whole numbers of up to 256 bits. */
const amountKind: ValueKind<bigint> = {
  noun: 'an amount',
  accepts: 'a decimal integer of at most 78 digits',
  parse: (text) => (/^\d{1,78}$/.test(text) ? { value: BigInt(text) } : { problem: 'is not an amount' }),
  schema: { type: 'string', pattern: '^[0-9]{1,78}$' },
}

const resolutionKind = wordKind<'raw' | 'hour' | 'day'>('a resolution', {
  raw: 'raw',
  hour: 'hour',
  day: 'day',
})
const holderOrderKind = wordKind<'balance' | 'wallet'>('an order', { balance: 'balance', wallet: 'wallet' })

/** `/balanceHistory`. Times are Unix seconds. */
export const BalanceHistoryQuery = z.object({
  address: required(addressKind, 'The account.'),
  asset: optional(assetKind, '`TON`, or a jetton master. Default: `TON`.'),
  resolution: withDefault(
    resolutionKind,
    'raw',
    '`raw`: after each block with transactions; `hour`, `day`: at the end of each, in UTC, also of those ' +
      'without a change.',
  ),
  start_utime: optional(utimeKind, 'Only balances at this time or later.'),
  end_utime: optional(utimeKind, 'Only balances at this time or earlier.'),
  ...page,
  ...sorted('Sort order by time.'),
})

const point = {
  mc_seqno: optional(seqnoKind, 'As of this masterchain block. Default: the newest one.'),
  utime: optional(utimeKind, 'As of this time, instead of a block.'),
}

const onePoint = (
  query: { readonly mc_seqno?: number | undefined; readonly utime?: number | undefined },
  ctx: z.core.$RefinementCtx,
): void => {
  if (query.mc_seqno !== undefined && query.utime !== undefined)
    ctx.addIssue({ code: 'custom', message: 'provide either mc_seqno or utime, not both' })
}

const MOST_ASKED = 100

/** `/balances`: each asset of each account. Refuses a query with both a block and a time. */
export const BalancesQuery = z
  .object({
    address: needed(listOf(addressKind, MOST_ASKED, 'The accounts.')),
    asset: listOf(assetKind, MOST_ASKED, '`TON`, and jetton masters. Default: `TON`.'),
    ...point,
  })
  .superRefine(needsOneOf(['address'], 'address of account is required'))
  .superRefine(onePoint)

/** `/jettonHolders`. Refuses a query with both a block and a time. */
export const JettonHoldersQuery = z
  .object({
    jetton: required(addressKind, 'The jetton master.'),
    ...point,
    min_balance: optional(amountKind, "Only balances of at least this, in the jetton's smallest unit."),
    order: withDefault(
      holderOrderKind,
      'balance',
      '`balance`: greatest first, for at most 200,000 wallets; `wallet`: in a fixed order, for any number.',
    ),
    ...page,
  })
  .superRefine(onePoint)

export type BalanceHistoryQuery = z.output<typeof BalanceHistoryQuery>
export type BalancesQuery = z.output<typeof BalancesQuery>
export type JettonHoldersQuery = z.output<typeof JettonHoldersQuery>

const known = {
  lt: digits.nullable(),
  balance: digits.nullable(),
  reason: z.enum(['before_index', 'gap', 'not_shown', 'other_layout']).nullable(),
}

/** Balance in the smallest unit; if it is not known, null and the `reason`. */
export const BalanceHistoryEntryReply = z
  .strictObject({ utime: int, mc_seqno: int, ...known })
  .meta({ id: 'BalanceHistoryEntry' })

/** `first_mc_seqno` and `first_utime`: where what is indexed without a gap begins. */
export const BalanceHistoryReply = z
  .strictObject({
    history: z.array(BalanceHistoryEntryReply),
    address,
    asset: z.string(),
    jetton_wallet: address.nullable(),
    first_mc_seqno: int.nullable(),
    first_utime: int.nullable(),
  })
  .meta({ id: 'BalanceHistoryResponse' })

const BalanceAtReply = z
  .strictObject({ address, asset: z.string(), jetton_wallet: address.nullable(), ...known })
  .meta({ id: 'BalanceAt' })

/** One entry per account and asset, as of one masterchain block. */
export const BalancesReply = z
  .strictObject({ balances: z.array(BalanceAtReply), mc_seqno: int, utime: int })
  .meta({ id: 'BalancesResponse' })

/** Balance in the jetton's smallest unit. */
export const JettonHolderReply = z
  .strictObject({ owner: address, jetton_wallet: address, balance: digits })
  .meta({ id: 'JettonHolder' })

/** `count`, `sum` and `unknown` are of all wallets, not of the page; null: not counted. */
export const JettonHoldersReply = z
  .strictObject({
    holders: z.array(JettonHolderReply),
    mc_seqno: int,
    utime: int,
    count: int.nullable(),
    sum: digits.nullable(),
    unknown: int.nullable(),
    total_supply: digits.nullable(),
    complete: z.boolean().nullable(),
    reason: z.string().nullable(),
    address_book: AddressBookReply,
    metadata: MetadataReply,
  })
  .meta({ id: 'JettonHoldersResponse' })

interface KnownView {
  readonly lt: bigint | null
  readonly balance: string | null
  readonly gap: z.input<typeof BalanceHistoryEntryReply>['reason']
}

const knownOf = ({ lt, balance, gap }: KnownView) => ({
  lt: lt === null ? null : String(lt),
  balance,
  reason: gap,
})

interface HistoryEntryView extends KnownView {
  readonly utime: number
  readonly mc_seqno: number
}

/** A period of `/balanceHistory`, with the balance at its end. */
export const toBalanceHistoryEntry = (row: HistoryEntryView): Json =>
  JSON.stringify({
    utime: row.utime,
    mc_seqno: row.mc_seqno,
    ...knownOf(row),
  } satisfies z.input<typeof BalanceHistoryEntryReply>)

interface BalanceAtView extends KnownView {
  /** Raw addresses; the asset may be `TON`. */
  readonly address: string
  readonly asset: string
  readonly wallet: string | null
}

/** `/balances`. */
export const toBalancesReply = (
  rows: readonly BalanceAtView[],
  at: { readonly seqno: number; readonly utime: number },
): Json =>
  JSON.stringify({
    balances: rows.map((row) => ({
      address: row.address,
      asset: row.asset,
      jetton_wallet: row.wallet,
      ...knownOf(row),
    })),
    mc_seqno: at.seqno,
    utime: at.utime,
  } satisfies z.input<typeof BalancesReply>)

interface HolderView {
  readonly account_id: AccountId
  readonly owner_id: AccountId
  readonly balance: string
}

/** A row of `/jettonHolders`. */
export const toJettonHolderReply = (row: HolderView, addressOf: AddressOf): Json =>
  JSON.stringify({
    owner: addressOf(row.owner_id),
    jetton_wallet: addressOf(row.account_id),
    balance: row.balance,
  } satisfies z.input<typeof JettonHolderReply>)

/** What is known of all holders together. */
export type HolderFacts = Omit<z.input<typeof JettonHoldersReply>, 'holders' | 'address_book' | 'metadata'>

/** Keys of the reply behind the rows, as JSON text. */
export const toHolderFields = (facts: HolderFacts): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, JSON.stringify(value)]))
