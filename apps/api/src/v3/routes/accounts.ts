import {
  AccountStatesQuery,
  type AddressOf,
  contractReplies,
  MAX_ACCOUNTS,
  TopAccountReply,
  TopAccountsQuery,
  toAccountStateReply,
  toTopAccountReply,
  toWalletStateReply,
  WalletStatesQuery,
} from '@shardwalk/api-schema'
import {
  type AccountStateFilter,
  type AccountStateRow,
  accountStateBytes,
  findAccountStates,
  findSuspended,
  listTopAccounts,
} from '@shardwalk/queries'
import { BASE64, renderRows } from '@shardwalk/replies'
import { listRoute, objectRoute, pageReply, type RequestContext, type Route } from '../../http/route.ts'
import { idsOf } from '../list-parameters.ts'
import { FAILS } from './fails.ts'

/** Reads which accounts of a reply are suspended, in the form that `toReply` of `renderRows` has. */
async function suspensionOf(
  { db, accounts }: RequestContext,
  rows: readonly AccountStateRow[],
): Promise<(row: AccountStateRow, addressOf: AddressOf) => boolean> {
  const suspended = await findSuspended(db, async () => {
    const ids = rows.map((row) => row.account_id)
    const directory = await accounts.load(db, ids, { states: false })
    return ids.map((id) => directory.get(id).raw)
  })
  return (row, addressOf) => suspended.has(addressOf(row.account_id))
}

/** Accounts that are asked for, and how they are replied. */
interface StatesReply {
  readonly addresses: Parameters<typeof idsOf>[1]
  readonly codeHashes: AccountStateFilter['codeHashes']
  readonly bocs: boolean
  /** What to ask for if the reply is too large. */
  readonly instead: string
  readonly name: string
  readonly toReply: typeof toAccountStateReply
}

/**
 * Throws `ReplyTooLarge` when codes and data are too large for one reply, before they are loaded, and
 * `HttpError` when too many bytes are in flight.
 */
async function replyStates(context: RequestContext, asked: StatesReply) {
  const { db, size, hold } = context
  const { codeHashes, bocs, name, toReply } = asked
  const filter = { ids: await idsOf(context, asked.addresses), codeHashes, bocs, limit: MAX_ACCOUNTS }
  const bytes = BASE64 * (await accountStateBytes(db, filter))
  size.expect(bytes, asked.instead)
  hold(bytes)
  const rows = await findAccountStates(db, filter)
  const isSuspended = await suspensionOf(context, rows)
  const page = await renderRows(
    context,
    { rows },
    {
      listed: (row) => [row.account_id],
      metadata: true,
      toReply: (row, addressOf) => toReply(row, addressOf, isSuspended(row, addressOf)),
    },
  )
  return pageReply(name, page, size)
}

const getAccountStates = objectRoute({
  path: '/api/v3/accountStates',
  tag: 'Accounts',
  summary: 'Newest states of accounts',
  description: 'In the order of the request. Accounts that never existed are left out.',
  query: AccountStatesQuery,
  reply: () => contractReplies.AccountStates,
  fails: FAILS,
  handle: (context, query) =>
    replyStates(context, {
      addresses: query.address,
      codeHashes: query.code_hash,
      bocs: query.include_boc !== false,
      instead: 'set `include_boc=false` or ask for fewer accounts',
      name: 'accounts',
      toReply: toAccountStateReply,
    }),
})

const getWalletStates = objectRoute({
  path: '/api/v3/walletStates',
  tag: 'Accounts',
  summary: 'Accounts as wallets',
  description: 'One row for each known account, wallet or not, in the order of the request.',
  query: WalletStatesQuery,
  reply: () => contractReplies.WalletStates,
  fails: FAILS,
  handle: (context, query) =>
    replyStates(context, {
      addresses: query.address,
      codeHashes: query.code_hash,
      bocs: true,
      instead: 'ask for fewer accounts',
      name: 'wallets',
      toReply: toWalletStateReply,
    }),
})

const getTopAccounts = listRoute({
  path: '/api/v3/topAccountsByBalance',
  tag: 'Stats',
  summary: 'Accounts by balance',
  description: 'Order: balance descending, ties by account ascending. The reply is a bare array.',
  query: TopAccountsQuery,
  reply: () => contractReplies.TopAccounts,
  rows: '',
  row: () => TopAccountReply,
  fails: FAILS,
  async page({ db, accounts }, query) {
    const { rows, next } = await listTopAccounts(db, query)
    const ids = rows.map((row) => row.account_id)
    const directory = await accounts.load(db, ids, { states: false })
    return { items: rows.map((row) => toTopAccountReply(row, (id) => directory.get(id).raw)), next }
  },
})

export const ACCOUNT_ROUTES: readonly Route[] = [getAccountStates, getWalletStates, getTopAccounts]
