import { Builder, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import type { Sent } from './send.ts'

/** A well-formed request that is as expensive as its form allows. */
export interface ExpensiveRequest extends Sent {
  readonly name: string
}

/** What the requests are about; asked of the API itself. */
interface Subjects {
  readonly addresses: readonly string[]
  /** The masterchain block with the most transactions among the newest thousand. */
  readonly fullestMcBlock: number
  readonly lastMcBlock: number
}

/** PUSHINT 0; PUSHCONT { INC }; AGAIN: counts until the gas is used up. */
const ENDLESS = base64(serializeBoc(new Builder().storeBytes(Buffer.from('7091a4ea', 'hex')).endCell()))
const EMPTY = base64(serializeBoc(EMPTY_CELL))
/** As much as a lite server method takes, less what stands around it in JSON. Bytes. */
const FULL_BODY = 1_040_000

export async function expensiveRequests(url: string): Promise<readonly ExpensiveRequest[]> {
  const { addresses, fullestMcBlock, lastMcBlock } = await subjects(url)
  const all = addresses.join(',')
  const busy = addresses[0]!
  const get = (path: string): ExpensiveRequest => ({ name: path, verb: 'GET', path: `/api/v3/${path}` })
  const v2 = (path: string): ExpensiveRequest => ({ name: path, verb: 'GET', path: `/api/v2/${path}` })
  const about = (name: string, query = ''): ExpensiveRequest => ({
    ...get(`${name}?address=${all}${query}`),
    name: `${name} of ${addresses.length} addresses${query}`,
  })
  const posted = (name: string, path: string, body: object): ExpensiveRequest => ({
    name,
    verb: 'POST',
    path,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const run = (name: string, path: string, stack: readonly unknown[]) =>
    posted(`${path}: ${name}`, `/api/${path}`, { address: busy, method: 'seqno', stack })
  const fees = (name: string, more: object) =>
    posted(`estimateFee: ${name}`, '/api/v2/estimateFee', { address: busy, body: EMPTY, ...more })
  const longList = Array.from({ length: 990 }, (_, i) => ['num', String(i)])
  return [
    get('actions?limit=1000&include_transactions=true'),
    get('actions?limit=1000&include_accounts=true'),
    get('actions?limit=1000&include_accounts=true&include_transactions=true'),
    get('traces?limit=1000'),
    get('traces?limit=1000&include_actions=true'),
    get('transactions?limit=1000'),
    get('transactions?limit=1000&sort=asc&offset=5000'),
    get('messages?limit=1000&sort=asc'),
    get('blocks?limit=1000'),
    get(`transactionsByMasterchainBlock?seqno=${fullestMcBlock}&limit=1000`),
    get('jetton/transfers?limit=1000'),
    get('jetton/wallets?limit=1000'),
    get('nft/items?limit=1000'),
    get('nft/transfers?limit=1000'),
    about('accountStates', '&include_boc=true'),
    about('walletStates'),
    about('addressBook'),
    about('metadata'),
    posted('decode: 3.6 MB', '/api/v3/decode', { bodies: Array(1000).fill(base64(bag(tree(300)))) }),
    posted('decode: shared cells', '/api/v3/decode', { bodies: Array(1000).fill(base64(bag(doubled(16)))) }),
    v2(`getBlockTransactionsExt?workchain=-1&shard=8000000000000000&seqno=${fullestMcBlock}&count=10000`),
    v2(`getTransactions?address=${busy}&limit=1000`),
    v2(`getTransactions?address=Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF&limit=1000`),
    v2(`getConfigAll?seqno=${lastMcBlock}`),
    v2(`getShardBlockProof?workchain=-1&shard=8000000000000000&seqno=${lastMcBlock - 400}`),
    run('990 entries', 'v2/runGetMethod', longList),
    run('a large cell', 'v2/runGetMethod', [['tvm.Cell', largest(FULL_BODY)]]),
    run('shared cells', 'v2/runGetMethod', [['tvm.Cell', base64(bag(doubled(900)))]]),
    run('a large cell', 'v3/runGetMethod', [['tvm.Cell', largest(FULL_BODY)]]),
    posted('sendBoc: 1 MB', '/api/v2/sendBoc', { boc: largest(FULL_BODY) }),
    posted('sendBoc: 60 KB of small cells', '/api/v2/sendBoc', { boc: smallest(60_000) }),
    posted('message: 60 KB of small cells', '/api/v3/message', { boc: smallest(60_000) }),
    fees('1 MB', { body: largest(FULL_BODY) }),
    fees('60 KB of small cells', { body: smallest(60_000) }),
    fees('small cells as code and data', { init_code: smallest(60_000), init_data: smallest(60_000) }),
    fees('endless code', {
      address: `0:${'7'.repeat(64)}`,
      ...{ init_code: ENDLESS, init_data: EMPTY, ignore_chksig: true },
    }),
    posted('jsonRPC: 1 MB of numbers', '/api/v2/jsonRPC', {
      method: 'getMasterchainInfo',
      params: { seqno: Array(300_000).fill(12) },
    }),
    posted('jsonRPC: 1 MB of members', '/api/v2/jsonRPC', {
      method: 'getMasterchainInfo',
      params: Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`m${i}`, i % 10])),
    }),
  ]
}

export async function subjects(url: string): Promise<Subjects> {
  const ask = async <T>(path: string): Promise<T> =>
    (await fetch(`${url}/api/v3/${path}`)).json() as Promise<T>
  const { transactions } = await ask<{ transactions: { account: string }[] }>('transactions?limit=1000')
  const { blocks } = await ask<{ blocks: { seqno: number; tx_count: number }[] }>(
    'blocks?workchain=-1&limit=1000',
  )
  const counts = new Map<string, number>()
  for (const { account } of transactions) counts.set(account, (counts.get(account) ?? 0) + 1)
  const byCount = [...counts].filter(([account]) => account.startsWith('0:')).sort((a, b) => b[1] - a[1])
  const fullest = blocks.reduce((a, b) => (b.tx_count > a.tx_count ? b : a))
  return {
    addresses: byCount.map(([account]) => account).slice(0, 1000),
    fullestMcBlock: fullest.seqno,
    lastMcBlock: blocks[0]!.seqno,
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
const bag = (root: Cell): Buffer => serializeBoc(root)

/** Distinct cells with four references each. */
function tree(leaves: number, bits = 32): Cell {
  const leaf = (i: number) => {
    const builder = new Builder()
    for (let left = bits - 32; left > 0; left -= 32) builder.storeUint(i, 32)
    return builder.storeUint(i, 32).endCell()
  }
  let cells = Array.from({ length: leaves }, (_, i) => leaf(i))
  while (cells.length > 1)
    cells = Array.from({ length: Math.ceil(cells.length / 4) }, (_, i) => {
      const parent = new Builder()
      for (const cell of cells.slice(4 * i, 4 * i + 4)) parent.storeRef(cell)
      return parent.endCell()
    })
  return cells[0]!
}

/** Two references to the same cell at every level: printed as a tree it has 2 ** depth cells. */
function doubled(depth: number): Cell {
  let cell = EMPTY_CELL
  for (let level = 0; level < depth; level++) cell = new Builder().storeRef(cell).storeRef(cell).endCell()
  return cell
}

/** A bag of small cells, as base64 of about `characters`. */
const largest = (characters: number): string => base64(bag(tree(Math.floor(characters / 15))))
/** A bag of about `bytes` with as many cells as it holds. */
const smallest = (bytes: number): string => base64(bag(tree(Math.floor(bytes / 12))))
