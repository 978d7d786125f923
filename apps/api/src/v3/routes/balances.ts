import {
  BalanceHistoryEntryReply,
  BalanceHistoryQuery,
  BalanceHistoryReply,
  BalancesQuery,
  BalancesReply,
  type HolderFacts,
  JettonHolderReply,
  JettonHoldersQuery,
  JettonHoldersReply,
  toBalanceHistoryEntry,
  toBalancesReply,
  toHolderFields,
  toJettonHolderReply,
} from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import {
  type BalanceAtRow,
  type BalanceHolder,
  type BalanceRow,
  countWallets,
  findBlockOfTime,
  findJettonOrigin,
  findJettonWallet,
  findPastBlock,
  listBalanceChanges,
  listHoldersByBalance,
  listHoldersByWallet,
  listPeriodBalances,
  type Page,
  type PastBlock,
  readJettonsAt,
  readTonAt,
  totalHolders,
} from '@shardwalk/queries'
import { renderLazily, renderRows } from '@shardwalk/replies'
import { HttpError, notFound } from '../../http/errors.ts'
import { listRoute, objectRoute, type RequestContext, type Route } from '../../http/route.ts'
import { idsOf } from '../list-parameters.ts'
import { timeBounds } from './bounds.ts'
import { FAILS } from './fails.ts'

/** A page by balance reads all wallets: microseconds for each. */
const MOST_SORTED = 200_000
/** Of accounts and of assets. */
const MOST_ASKED = 100
const NO_HISTORY: Page<BalanceRow> = { rows: [] }

const getBalanceHistory = listRoute({
  path: '/api/v3/balanceHistory',
  tag: 'Accounts',
  summary: 'Balances of an account over time',
  description:
    'TON, or a jetton, from the states in the indexed blocks. What began before the first indexed block is ' +
    'null, with the reason. Airdrops that were not claimed are not included. Order: time in the direction ' +
    'of `sort`.',
  query: BalanceHistoryQuery,
  reply: () => BalanceHistoryReply,
  rows: 'history',
  row: () => BalanceHistoryEntryReply,
  fails: FAILS,
  async page(context, query) {
    const { db, accounts } = context
    const ends = await context.head.findEnds(context.settings.timeoutMs)
    const { accountId, wallet } = await findHolder(context, query)
    const holder = accountId && ({ accountId, asset: wallet ? 'jettons' : 'ton' } as const)
    const { rows, next } = holder && ends ? await historyOf(context, holder, query) : NO_HISTORY
    const walletText = wallet && (await accounts.load(db, [wallet], { states: false })).get(wallet).raw
    const { asset = 'TON' } = query
    const fields = {
      address: formatRawAddress(query.address),
      asset: asset === 'TON' ? asset : formatRawAddress(asset),
      jetton_wallet: walletText ?? null,
      first_mc_seqno: ends?.first.seqno ?? null,
      first_utime: ends?.first.gen_utime ?? null,
    }
    return { items: renderLazily(rows, toBalanceHistoryEntry), next, fields: toJsonFields(fields) }
  },
})

const toJsonFields = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)]))

/** Nothing if the account, or its wallet for the jetton, was never seen. */
async function findHolder({ db, accounts }: RequestContext, { address, asset = 'TON' }: BalanceHistoryQuery) {
  const ownerId = await accounts.idOf(db, address)
  if (ownerId === undefined || asset === 'TON') return { accountId: ownerId }
  const jettonId = await accounts.idOf(db, asset)
  const wallet = jettonId && (await findJettonWallet(db, { ownerId, jettonId }))
  return { accountId: wallet, wallet }
}

async function historyOf(
  { db, head, settings }: RequestContext,
  holder: BalanceHolder,
  query: BalanceHistoryQuery,
): Promise<Page<BalanceRow>> {
  const { resolution } = query
  const time = timeBounds(query)
  if (resolution === 'raw') return listBalanceChanges(db, holder, { ...query, time })
  const { first, last } = (await head.findEnds(settings.timeoutMs))!
  const bounds = {
    from: Math.max(time.from ?? 0, first.gen_utime),
    to: Math.min(time.to ?? last.gen_utime, last.gen_utime),
  }
  const range = { from: first.seqno, to: last.seqno }
  return listPeriodBalances(db, holder, { ...query, period: resolution, time: bounds, range })
}

const NOT_INDEXED = { 404: 'The masterchain block, or the time, is not indexed.' }

const getBalances = objectRoute({
  path: '/api/v3/balances',
  tag: 'Accounts',
  summary: 'Balances of accounts at a past block',
  description:
    'TON and jettons as of a masterchain block or a time, from the states in the indexed blocks: a row for ' +
    'each account and asset, in the order of the request. An account that was never seen has no row, nor ' +
    'has a jetton of which the account has no known wallet.',
  query: BalancesQuery,
  reply: () => BalancesReply,
  fails: { ...FAILS, ...NOT_INDEXED },
  async handle(context, query) {
    const { db, accounts } = context
    const at = await findPoint(context, query)
    const ownerIds = (await idsOf(context, query.address)) ?? []
    const assets = query.asset ?? ['TON']
    const masters = assets.filter((asset) => asset !== 'TON')
    const jettonIds = (await idsOf(context, masters)) ?? []
    const rows: BalanceAtRow[] = []
    if (masters.length < assets.length) rows.push(...(await readTonAt(db, ownerIds, at)))
    if (jettonIds.length > 0) rows.push(...(await readJettonsAt(db, { ownerIds, jettonIds }, at)))
    const ids = rows.flatMap(({ owner_id, jetton_id, account_id }) => [owner_id, account_id, jetton_id ?? []])
    const directory = await accounts.load(db, ids.flat(), { states: false })
    const place = (row: BalanceAtRow) =>
      ownerIds.indexOf(row.owner_id) * (MOST_ASKED + 1) +
      (row.jetton_id === null ? 0 : 1 + jettonIds.indexOf(row.jetton_id))
    const views = [...rows]
      .sort((a, b) => place(a) - place(b))
      .map((row) => ({
        ...row,
        address: directory.get(row.owner_id).raw,
        asset: row.jetton_id === null ? 'TON' : directory.get(row.jetton_id).raw,
        wallet: row.jetton_id === null ? null : directory.get(row.account_id).raw,
      }))
    return toBalancesReply(views, at)
  },
})

const getJettonHolders = listRoute({
  path: '/api/v3/jettonHolders',
  tag: 'Jettons',
  summary: 'Holders of a jetton at a past block',
  description:
    'Wallets with a balance as of a masterchain block or a time. `complete` is false if holders may be ' +
    'missing, because the jetton is older than what is indexed. Airdrops that were not claimed are not ' +
    'included. Order: balance, greatest first, ties by wallet; or wallet.',
  query: JettonHoldersQuery,
  reply: () => JettonHoldersReply,
  rows: 'holders',
  row: () => JettonHolderReply,
  fails: { ...FAILS, ...NOT_INDEXED },
  async page(context, query) {
    const { db, accounts } = context
    const at = await findPoint(context, query)
    const jettonId = await accounts.idOf(db, query.jetton)
    const place = { mc_seqno: at.seqno, utime: at.utime }
    if (jettonId === undefined)
      return { items: [], fields: { ...toHolderFields({ ...place, ...NOBODY }), ...NO_ADDRESSES } }
    const filter = { jettonId, at, minBalance: query.min_balance || 1n }
    if (query.order === 'balance' && (await countWallets(db, jettonId, MOST_SORTED)) > MOST_SORTED)
      throw new HttpError(422, `more than ${MOST_SORTED} wallets cannot be sorted; use order=wallet`)
    const list = query.order === 'balance' ? listHoldersByBalance : listHoldersByWallet
    const rendered = await renderRows(context, await list(db, filter, query), {
      listed: (row) => [row.owner_id, row.account_id],
      alsoListed: [jettonId],
      metadata: true,
      toReply: toJettonHolderReply,
    })
    const totals = query.order === 'balance' ? await totalHolders(db, filter) : undefined
    const origin = await findJettonOrigin(db, jettonId, at)
    const facts: HolderFacts = {
      ...place,
      count: totals ? Number(totals.holders) : null,
      sum: totals?.balance ?? null,
      unknown: totals ? Number(totals.unknown) : null,
      total_supply: origin.total_supply,
      ...(totals ? completeness(origin, totals) : { complete: null, reason: null }),
    }
    const { fields } = rendered
    const book = typeof fields === 'function' ? await fields() : fields
    return { ...rendered, fields: { ...toHolderFields(facts), ...book } }
  },
})

const NO_ADDRESSES = { address_book: '{}', metadata: '{}' }
const NOBODY = { count: 0, sum: '0', unknown: 0, total_supply: null, complete: null, reason: null }

/** Throws `HttpError` 404. */
async function findPoint(
  { db, head }: RequestContext,
  query: Pick<JettonHoldersQuery, 'mc_seqno' | 'utime'>,
): Promise<PastBlock> {
  const { range } = await head.read()
  const seqno = query.mc_seqno ?? range?.to
  const found =
    query.utime !== undefined
      ? await findBlockOfTime(db, query.utime)
      : seqno === undefined
        ? undefined
        : await findPastBlock(db, seqno)
  if (found) return found
  const asked = query.utime === undefined ? `masterchain block ${seqno}` : `time ${query.utime}`
  if (!range) throw notFound('no blocks are indexed yet')
  throw notFound(`${asked} is not indexed; masterchain blocks ${range.from} to ${range.to} are`)
}

function completeness(
  { began, waiting }: { readonly began: boolean; readonly waiting: boolean },
  { unknown }: { readonly unknown: bigint },
): Pick<HolderFacts, 'complete' | 'reason'> {
  const reason = !began
    ? 'the jetton is older than the first indexed block'
    : waiting
      ? 'contracts are still to be examined'
      : unknown > 0n
        ? 'the balances of some wallets are not known'
        : null
  return { complete: reason === null, reason }
}

export const PAST_BALANCE_ROUTES: readonly Route[] = [getBalances, getBalanceHistory, getJettonHolders]
