import { formatRawAddress } from '@shardwalk/model'
import {
  type AccountTab,
  type AccountView,
  joinNames,
  type PagerView,
  type Replies,
  type TabRows,
} from '@shardwalk/pages'
import type { ExplorerRequest } from './explorer-request.ts'
import { ROWS } from './explorer-request.ts'

type Address = Parameters<typeof formatRawAddress>[0]

/** Everything on the page of an account. Requests that its interfaces make pointless are omitted. */
export async function readAccount(
  asked: ExplorerRequest,
  address: Address,
  range: { readonly from: number } | undefined,
): Promise<AccountView> {
  const raw = formatRawAddress(address)
  const states = (await asked.ask('accountStates', { address: raw, include_boc: 'false' })).reply
  const account = states.accounts[0]
  const kinds = account?.interfaces ?? []
  const found = await readKinds(asked, raw, kinds)
  const { wallet, jetton, jettonWallet, item, collection, multisig, vesting } = found
  const domains = account ? await asked.find('dns/records', { wallet: raw, limit: 20 }) : undefined
  const isJetton = jetton?.jetton_masters.length === 1
  const tabs = tabsOf({ isJetton, isCollection: isOneOf(kinds, 'nft_collection') })
  const chosen = tabs.find((tab) => tab === asked.parameter('tab')) ?? tabs[0]!
  const listed = await TABS[chosen](asked, raw)
  return {
    address: raw,
    account,
    wallet: wallet?.wallets[0],
    jetton: jetton?.jetton_masters[0],
    jettonWallet: jettonWallet?.jetton_wallets[0],
    item: item?.nft_items[0],
    collection: collection?.nft_collections[0],
    multisig: multisig?.multisigs[0],
    vesting: vesting?.vesting_contracts[0],
    domains: domains?.records ?? [],
    tabs,
    rows: listed.rows,
    pager: {
      ...asked.pager(`${asked.path}?tab=${chosen}`, listed.rows.list.next, listed.json),
      by: ORDERS[chosen],
    },
    names: joinNames(asked.testOnly, [...[states, ...Object.values(found), domains, listed.reply]]),
    begins: range?.from,
  }
}

const isOneOf = (kinds: readonly string[], ...names: readonly string[]): boolean =>
  kinds.some((kind) => names.some((name) => kind.includes(name)))

/** What the account is by its interfaces. */
async function readKinds(asked: ExplorerRequest, raw: string, kinds: readonly string[]) {
  const is = (...names: readonly string[]) => isOneOf(kinds, ...names)
  const one = async <Name extends keyof Replies>(name: Name, when: boolean, parameter = 'address') =>
    when ? await asked.find(name, { [parameter]: raw }) : undefined
  return {
    wallet: await one('walletStates', is('wallet') && !is('jetton_wallet')),
    jetton: await one('jetton/masters', is('jetton_master', 'jetton_minter')),
    jettonWallet: await one('jetton/wallets', is('jetton_wallet')),
    item: await one('nft/items', is('nft_item')),
    collection: await one('nft/collections', is('nft_collection'), 'collection_address'),
    multisig: await one('multisig/wallets', is('multisig')),
    vesting: await one('vesting', is('vesting'), 'contract_address'),
  }
}

function tabsOf({ isJetton, isCollection }: { isJetton: boolean; isCollection: boolean }): AccountTab[] {
  return [
    ...(['actions', 'transactions', 'jettons', 'nfts'] as const),
    ...(isJetton ? (['holders'] as const) : []),
    ...(isCollection ? (['items'] as const) : []),
  ]
}

/** What lists are sorted by. Those of a few tokens have one order. */
const ORDERS: Readonly<Record<AccountTab, PagerView['by']>> = {
  ...({ actions: 'time', transactions: 'time', holders: 'amount' } as const),
  ...({ jettons: 'nothing', nfts: 'nothing', items: 'nothing' } as const),
}

interface TabAnswer {
  readonly rows: TabRows
  readonly reply: Pick<Replies['actions'], 'address_book'> & Partial<Pick<Replies['actions'], 'metadata'>>
  /** The same of API v3. */
  readonly json: string
}

const jsonOf = (path: string, parameter: string, raw: string): string =>
  `/api/v3/${path}?${parameter}=${encodeURIComponent(raw)}`

async function wallets(asked: ExplorerRequest, raw: string, tab: 'jettons' | 'holders'): Promise<TabAnswer> {
  const { sort, cursor } = asked.listing
  const parameter = tab === 'jettons' ? 'owner_address' : 'jetton_address'
  const order = tab === 'holders' ? { sort } : {}
  const holding = { exclude_zero_balance: 'true' }
  const { reply, next } = await asked.ask('jetton/wallets', {
    [parameter]: raw,
    limit: ROWS,
    cursor,
    ...order,
    ...holding,
  })
  return {
    rows: { tab, list: { rows: reply.jetton_wallets, next } },
    reply,
    json: jsonOf('jetton/wallets', parameter, raw),
  }
}

async function items(asked: ExplorerRequest, raw: string, tab: 'nfts' | 'items'): Promise<TabAnswer> {
  const parameter = tab === 'nfts' ? 'owner_address' : 'collection_address'
  const { reply, next } = await asked.ask('nft/items', {
    [parameter]: raw,
    limit: ROWS,
    cursor: asked.listing.cursor,
    ...(tab === 'nfts' ? { include_on_sale: 'true' } : {}),
  })
  return {
    rows: { tab, list: { rows: reply.nft_items, next } },
    reply,
    json: jsonOf('nft/items', parameter, raw),
  }
}

const TABS: Readonly<Record<AccountTab, (asked: ExplorerRequest, raw: string) => Promise<TabAnswer>>> = {
  async actions(asked, raw) {
    const { reply, next } = await asked.ask('actions', { account: raw, limit: ROWS, ...asked.listing })
    return {
      rows: { tab: 'actions', list: { rows: reply.actions, next } },
      reply,
      json: jsonOf('actions', 'account', raw),
    }
  },
  async transactions(asked, raw) {
    const { reply, next } = await asked.ask('transactions', { account: raw, limit: ROWS, ...asked.listing })
    return {
      rows: { tab: 'transactions', list: { rows: reply.transactions, next } },
      reply,
      json: jsonOf('transactions', 'account', raw),
    }
  },
  jettons: (asked, raw) => wallets(asked, raw, 'jettons'),
  holders: (asked, raw) => wallets(asked, raw, 'holders'),
  nfts: (asked, raw) => items(asked, raw, 'nfts'),
  items: (asked, raw) => items(asked, raw, 'items'),
}
