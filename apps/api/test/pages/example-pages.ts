import { profileRules, v2OpenApiDocument } from '@shardwalk/api-schema'
import {
  type AccountTab,
  type AccountView,
  accountDocument,
  blockDocument,
  blocksDocument,
  consoleDocument,
  type Description,
  endpointDocument,
  endpointOf,
  errorDocument,
  eventsDocument,
  type Frame,
  foundDocument,
  joinNames,
  type Replies,
  referenceDocument,
  type Status,
  statusDocument,
  toStatusView,
  traceDocument,
  transactionDocument,
} from '@shardwalk/pages'
import { v3Examples } from '../../src/examples.ts'

const FRAME: Frame = {
  root: '../',
  assets: { style: '/s', script: '/j', theme: '/t', icon: '/i', events: '/e' },
  ...{ network: 'sample', version: '1', testOnly: false, hasExplorer: true, indexedTo: 529 },
}
const EXAMPLES = v3Examples(profileRules('standard'))
/** Rows of a list on a page, and transactions of a large trace. */
const ROWS = 50
const NODES = 256

interface Change {
  /** Applied to each reply that a page is made of. */
  reply<T>(reply: T): T
  /** What the visitor typed, of which the search box repeats the start; texts in problems of servers. */
  readonly text: string
}
const UNCHANGED: Change = { reply: (reply) => reply, text: 'text' }

/** Every kind of page, its lists full, made of recorded replies of the sample; functions that render them. */
export function examplePages({ reply, text }: Change = UNCHANGED): Readonly<Record<string, () => string>> {
  const replies = new Map<string, unknown>()
  const get = <Name extends keyof Replies>(name: Name): Replies[Name] => {
    if (!replies.has(name)) replies.set(name, reply(EXAMPLES[`get ${name}`]))
    return replies.get(name) as Replies[Name]
  }
  const many = <Row>(rows: readonly Row[]): Row[] =>
    Array.from({ length: ROWS }, (_, i) => rows[i % rows.length]!)
  const around = get('adjacentTransactions').transactions
  const names = joinNames(false, [...replies.values(), ...NAMED.map(get)] as never)
  const pager = { here: '/address/x', isFirst: false, sort: 'desc', next: 'next', json: '/api/v3/x' } as const
  const wallets = { rows: many(get('jetton/wallets').jetton_wallets) }
  const items = { rows: many(get('nft/items').nft_items) }
  const lists: Record<AccountTab, AccountView['rows']> = {
    actions: { tab: 'actions', list: { rows: many(get('actions').actions) } },
    transactions: { tab: 'transactions', list: { rows: many(around) } },
    jettons: { tab: 'jettons', list: wallets },
    holders: { tab: 'holders', list: wallets },
    nfts: { tab: 'nfts', list: items },
    items: { tab: 'items', list: items },
  }
  const tabs = Object.keys(lists) as AccountTab[]
  const account = get('accountStates').accounts[0]!
  const of = {
    jetton: get('jetton/masters').jetton_masters[0],
    wallet: get('walletStates').wallets[0],
    item: get('nft/items').nft_items[0],
    collection: get('nft/collections').nft_collections[0],
    multisig: get('multisig/wallets').multisigs[0],
    vesting: get('vesting').vesting_contracts[0],
    jettonWallet: get('jetton/wallets').jetton_wallets[0],
  }
  const known = Object.keys(names.metadata)[0] ?? account.address
  const shown = {
    account,
    domains: get('dns/records').records,
    tabs,
    pager,
    names,
    begins: 5,
    address: known,
  }
  const accounts = Object.entries(of).map(([kind, one], index) => {
    const tab = tabs[index % tabs.length]!
    const view = { ...shown, [kind]: one, rows: lists[tab] } as AccountView
    return [`account: ${kind}, ${tab}`, () => accountDocument(FRAME, view)] as const
  })
  const block = get('blocks').blocks[0]!
  const transactions = { rows: many(around) }
  const trace = chainOf(get('traces').traces[0]!, around, NODES)
  const actions = many(get('actions').actions)
  const flow = Object.keys(names.address_book).map((one) => ({
    ...{ account: one, change: '-5', fees: '7', jettons: [{ master: known, amount: '9'.repeat(77) }] },
  }))
  return {
    ...Object.fromEntries(accounts),
    transaction: () =>
      transactionDocument(FRAME, { transaction: around[0]!, parent: around[1], children: around, names }),
    trace: () => traceDocument(FRAME, { trace, actions, flow, names }),
    block: () => {
      const committed = many(get('masterchainBlockShards').blocks)
      return blockDocument(FRAME, { block, transactions, pager, committed, following: [block], names })
    },
    blocks: () => blocksDocument(FRAME, { blocks: { rows: many([block]) }, pager }),
    found: () =>
      foundDocument({ ...FRAME, query: text.slice(0, 200) }, [{ what: 'Account', path: '/address/x' }]),
    error: () =>
      errorDocument({ ...FRAME, query: text.slice(0, 200) }, { status: 404, message: text, hints: [text] }),
    status: () => statusDocument(FRAME, toStatusView(statusWith(text))),
    console: () => consoleDocument(FRAME, { scripts: ['/j'], style: '/s' }),
    events: () => eventsDocument(FRAME, { base: 'https://x', accounts: [], from: 5 }),
    reference: () => referenceDocument(FRAME, [DESCRIPTION]),
    endpoint: () => endpointDocument(FRAME, endpointOf([DESCRIPTION], METHOD)!, 'https://x'),
  }
}

const DESCRIPTION = v2OpenApiDocument({ version: '1' }) as unknown as Description
const METHOD = '/docs/GET/api/v2/getMasterchainInfo'
const NAMED = ['actions', 'nft/items', 'jetton/wallets', 'jetton/masters', 'accountStates'] as const

type Trace = Replies['traces']['traces'][number]
type Transaction = Replies['transactions']['transactions'][number]
type Branch = NonNullable<Trace['trace']>

/** A trace of `count` transactions, each of which causes up to three. */
function chainOf(trace: Trace, samples: readonly Transaction[], count: number): Trace {
  const transactions: Record<string, Transaction> = {}
  const branches: Branch[] = []
  for (let index = 0; index < count; index++) {
    const hash = Buffer.alloc(32, 7).fill(String(index).padStart(8, '0'), 0, 8).toString('base64')
    transactions[hash] = { ...samples[index % samples.length]!, hash }
    const branch = { tx_hash: hash, in_msg_hash: hash, children: [] } as unknown as Branch
    branches.push(branch)
    if (index > 0) (branches[Math.floor((index - 1) / 3)]!.children as Branch[]).push(branch)
  }
  return {
    ...trace,
    ...{ trace: branches[0]!, transactions },
    trace_info: { ...trace.trace_info, transactions: count, messages: count },
  }
}

const TABLES = Array.from({ length: 40 }, (_, index) => ({
  ...{ name: `table_${index}`, rows: 1e9, table_bytes: 1e12, index_bytes: 1e12 },
}))

const statusWith = (text: string): Status => ({
  ...{ at: 1_795_262_700_000, version: '0.1.0', network: 'sample', global_id: -239, profile: 'standard' },
  database_problem: text,
  head: { seqno: 1000, followed: true },
  newest: { seqno: 1000, utime: 1_795_262_688, unchanged_seconds: 1 },
  first: 1,
  indexed: Array.from({ length: 500 }, (_, index) => ({ from: index * 2 + 1, to: index * 2 + 1 })),
  ...{ gaps: [], missing: 0, rate: { blocks_per_second: 2, seconds_left: null }, proved: null },
  problems: Array.from({ length: 20 }, () => ({
    ...{ kind: 'state', reason: text.slice(0, 200), count: 1, first_seqno: 7, last_seqno: 8 },
  })),
  ...{ quarantine: null, watched: null, waiting: null, database: { bytes: 1e13, tables: TABLES } },
  servers: Array.from({ length: 60 }, (_, index) => ({
    ...{ name: `192.0.2.${index}:4000`, state: 'connecting', head: null, latency_ms: null },
    ...{ archive: null, nonfinal: false, in_flight: 0, problem: text },
    faults: { timeouts: 1e9, rate_limits: 1e9, wrong_answers: 1e9, disconnects: 1e9 },
  })),
  full_nodes: [
    {
      ...{ id: 'ab'.repeat(32), seconds_ago: 1, bytes_in_per_second: 2e7, bytes_out_per_second: 4e6 },
      ...{ dht_servers: 500, clock_offset_seconds: null },
      overlays: [{ name: text, members: 2000, ready: 300, resting: 0, banned: 0, broadcasts: 1e9 }],
      nodes: Array.from({ length: 20 }, (_, index) => ({
        ...{ id: 'cd'.repeat(32), address: `${text}:${index}`, overlays: ['masterchain', 'basechain'] },
        ...{ state: 'ready' as const, asked: { short: 1e9, block: 1e9, archive: 1e9 }, answered: 3e9 },
        ...{ bytes: 1e13, bytes_per_second: 1e8, mean_ms: 20_000 },
      })),
    },
  ],
  disk: { free_bytes: 1e13, bytes_per_day: 1e12, days_left: 10 },
  process: {
    ...{ uptime_seconds: 1, memory_bytes: 1, event_loop_ms: 0, watching: 0 },
    ...{ requests_per_second: 3.5, p50_ms: 2, p99_ms: 20 },
  },
})
