import type pg from 'pg'

/** Values from a database for requests. */
export interface Facts {
  readonly transactions: number
  readonly accounts: readonly string[]
  readonly busy: readonly string[]
  readonly hashes: readonly string[]
  readonly messages: readonly string[]
  readonly traces: readonly string[]
  readonly opcodes: readonly string[]
  readonly jettons: readonly string[]
  readonly seqnos: readonly number[]
  readonly time: { readonly first: number; readonly last: number }
  readonly lt: { readonly first: number; readonly last: number }
}

export async function readFacts(pool: pg.Pool): Promise<Facts> {
  const column = async (text: string) =>
    (await pool.query({ text, rowMode: 'array' })).rows.map((row) => row[0] as string)
  const address = "a.workchain || ':' || encode(a.address, 'hex')"
  await pool.query('set statement_timeout = 0')
  const [range] = (
    await pool.query(
      `select min(start_lt)::text as first_lt, max(end_lt)::text as last_lt, min(gen_utime) as first,
        max(gen_utime) as last,
         max(seqno) filter (where workchain = -1) as seqno from blocks`,
    )
  ).rows
  const sample = async (table: string, expression: string, rest = '') => {
    const rows = (from: string) => column(`select ${expression} from ${from} ${rest} limit 500`)
    const some = await rows(`${table} tablesample system (5) repeatable (1)`)
    // The sample of a small table may be empty.
    return some.length > 0 ? some : rows(table)
  }
  /** Of rows of any age. */
  const hashes = (table: string) => sample(table, "encode(hash, 'hex')", 'order by md5(hash)')
  const seqnos = Array.from(
    { length: 500 },
    (_, i) => 2 + Math.floor(((range.seqno - 4) * ((i * 7919) % 500)) / 500),
  )
  return {
    transactions: Number(
      (
        await column(
          `select sum(reltuples)::int8::text from pg_class
            where oid::regclass::text ~ '^transactions_lt_[0-9]+$'`,
        )
      )[0],
    ),
    accounts: await sample('accounts a', address, 'where a.workchain = 0'),
    busy: await column(`select ${address} from (
      select account_id from transactions where lt <= (select 3 * min(lt) + 30000000000 from transactions)
        group by 1 order by count(*) desc, 1 limit 20
    ) t join accounts a on a.id = t.account_id`),
    hashes: await hashes('transactions'),
    messages: await hashes('messages'),
    traces: await sample('traces', "encode(trace_id, 'hex')", 'where state = 0'),
    opcodes: ['0x0f8a7ea5', '0x00000000', '0x178d4519', '0xd53276db', '0x4e73744b'],
    jettons: await column(
      `select ${address} from jetton_masters m join accounts a on a.id = m.account_id limit 20`,
    ),
    seqnos,
    time: { first: range.first, last: range.last },
    lt: { first: Number(range.first_lt), last: Number(range.last_lt) },
  }
}

export type Path = (facts: Facts, round: number) => string

export const of = <T>(list: readonly T[], i: number): T => list[i % list.length] as T
export const account = (list: readonly string[], i: number) => encodeURIComponent(of(list, i))
/** Different in every round, spread over the time of the chain. */
const share = (i: number) => ((i * 7919) % 997) / 997
export const at = ({ first, last }: { first: number; last: number }, i: number) =>
  Math.floor(first + (last - first) * share(i))
/** Twenty values as `name=a&name=b&…`. */
const twenty = (list: readonly string[], i: number, name: string) =>
  Array.from({ length: 20 }, (_, k) => `${name}=${account(list, i * 20 + k)}`).join('&')

export const PATHS: Readonly<Record<string, Path>> = {
  blocks: () => 'blocks',
  'blocks?workchain=0': () => 'blocks?workchain=0',
  'blocks, a period': (f, i) => `blocks?start_utime=${at(f.time, i)}&sort=asc`,
  'blocks, until an lt': (f, i) => `blocks?end_lt=${at(f.lt, i)}`,
  'blocks?mc_seqno=': (f, i) => `blocks?mc_seqno=${of(f.seqnos, i)}`,
  masterchainBlockShardState: (f, i) => `masterchainBlockShardState?seqno=${of(f.seqnos, i)}`,
  masterchainBlockShards: (f, i) => `masterchainBlockShards?seqno=${of(f.seqnos, i)}`,
  transactions: () => 'transactions',
  'transactions?sort=asc': () => 'transactions?sort=asc',
  'transactions?account= (any)': (f, i) => `transactions?account=${account(f.accounts, i)}`,
  'transactions?account= (busy)': (f, i) => `transactions?account=${account(f.busy, i)}`,
  'transactions?account= (busy), limit 1000': (f, i) =>
    `transactions?limit=1000&account=${account(f.busy, i)}`,
  'transactions?account= (busy), from a time': (f, i) =>
    `transactions?account=${account(f.busy, i)}&start_utime=${at(f.time, i)}&sort=asc`,
  'transactions?account= x 20': (f, i) => `transactions?${twenty(f.accounts, i, 'account')}`,
  'transactions?account= x 20 (busy)': (f, i) => `transactions?${twenty(f.busy, i, 'account')}`,
  'transactions?exclude_account= x 20 (busy)': (f, i) =>
    `transactions?${twenty(f.busy, i, 'exclude_account')}`,
  'transactions?hash=': (f, i) => `transactions?hash=${of(f.hashes, i)}`,
  'transactions?mc_seqno=': (f, i) => `transactions?mc_seqno=${of(f.seqnos, i)}`,
  'transactions?workchain=-1': () => 'transactions?workchain=-1',
  'transactions?workchain=0&shard=, a quarter': () => 'transactions?workchain=0&shard=2000000000000000',
  'transactions?workchain=0&shard=, until a time': (f, i) =>
    `transactions?workchain=0&shard=2000000000000000&end_utime=${at(f.time, i)}`,
  'transactions, from a time': (f, i) => `transactions?start_utime=${at(f.time, i)}&sort=asc`,
  'transactions, until a time': (f, i) => `transactions?end_utime=${at(f.time, i)}`,
  'transactions, until an lt': (f, i) => `transactions?end_lt=${at(f.lt, i)}`,
  'transactions, until an lt, by time': (f, i) => `transactions?start_utime=1&end_lt=${at(f.lt, i)}`,
  transactionsByMasterchainBlock: (f, i) => `transactionsByMasterchainBlock?seqno=${of(f.seqnos, i)}`,
  'transactionsByMessage?msg_hash=': (f, i) => `transactionsByMessage?msg_hash=${of(f.messages, i)}`,
  'transactionsByMessage?opcode=': (f, i) => `transactionsByMessage?opcode=${of(f.opcodes, i)}`,
  'transactionsByMessage, empty body': () =>
    'transactionsByMessage?body_hash=96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  'transactionsByMessage?opcode=&source=': (f, i) =>
    `transactionsByMessage?opcode=${of(f.opcodes, i)}&source=${account(f.busy, i)}`,
  messages: () => 'messages',
  'messages?start_lt=1': () => 'messages?start_lt=1',
  'messages?sort=asc': () => 'messages?sort=asc',
  'messages?msg_hash=': (f, i) => `messages?msg_hash=${of(f.messages, i)}`,
  'messages?source=': (f, i) => `messages?source=${account(f.busy, i)}`,
  'messages?destination=': (f, i) => `messages?destination=${account(f.busy, i)}`,
  'messages?source=&destination=': (f, i) =>
    `messages?source=${account(f.busy, i)}&destination=${account(f.busy, i * 3 + 1)}`,
  'messages?source= (masterchain zero)': () => `messages?source=-1:${'0'.repeat(64)}`,
  'messages?source=null': () => 'messages?source=null',
  'messages?destination=null': () => 'messages?destination=null',
  'messages?opcode=': (f, i) => `messages?opcode=${of(f.opcodes, i)}`,
  'messages?opcode=&exclude_externals': (f, i) =>
    `messages?opcode=${of(f.opcodes, i)}&exclude_externals=true`,
  'messages, empty body': () =>
    'messages?body_hash=96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  'messages?direction=out': () => 'messages?direction=out&start_lt=1',
  'messages?direction=in&destination=': (f, i) => `messages?direction=in&destination=${account(f.busy, i)}`,
  'messages, until a time': (f, i) => `messages?end_utime=${at(f.time, i)}`,
  'messages?opcode=, until a time': (f, i) =>
    `messages?opcode=${of(f.opcodes, i)}&end_utime=${at(f.time, i)}`,
  traces: () => 'traces',
  'traces?account= (any)': (f, i) => `traces?account=${account(f.accounts, i)}`,
  'traces?account= (busy)': (f, i) => `traces?account=${account(f.busy, i)}`,
  'traces?account= (busy), until a time': (f, i) =>
    `traces?account=${account(f.busy, i)}&end_utime=${at(f.time, i)}`,
  'traces?account= (busy), sort=asc': (f, i) => `traces?account=${account(f.busy, i)}&sort=asc`,
  'traces?trace_id=': (f, i) => `traces?trace_id=${of(f.traces, i)}`,
  'traces?tx_hash=': (f, i) => `traces?tx_hash=${of(f.hashes, i)}`,
  'traces?mc_seqno=': (f, i) => `traces?mc_seqno=${of(f.seqnos, i)}`,
  'traces, until a time': (f, i) => `traces?end_utime=${at(f.time, i)}`,
  actions: () => 'actions',
  'actions?account= (any)': (f, i) => `actions?account=${account(f.accounts, i)}`,
  'actions?account= (busy)': (f, i) => `actions?account=${account(f.busy, i)}`,
  'actions?account= (busy), until a time': (f, i) =>
    `actions?account=${account(f.busy, i)}&end_utime=${at(f.time, i)}`,
  'actions?trace_id=': (f, i) => `actions?trace_id=${of(f.traces, i)}`,
  'actions?tx_hash=': (f, i) => `actions?tx_hash=${of(f.hashes, i)}`,
  'actions?action_type=ton_transfer': () => 'actions?action_type=ton_transfer',
  'actions?action_type=jetton_swap (rare)': () => 'actions?action_type=jetton_swap',
  'actions?exclude_action_type=': () =>
    'actions?exclude_action_type=ton_transfer&exclude_action_type=tick_tock',
  'actions, until a time': (f, i) => `actions?end_utime=${at(f.time, i)}`,
  'actions?mc_seqno=': (f, i) => `actions?mc_seqno=${of(f.seqnos, i)}`,
  'jetton/transfers': () => 'jetton/transfers',
  'jetton/transfers?owner_address=': (f, i) => `jetton/transfers?owner_address=${account(f.busy, i)}`,
  'jetton/transfers?jetton_master=': (f, i) => `jetton/transfers?jetton_master=${account(f.jettons, i)}`,
  'jetton/transfers?jetton_wallet=': (f, i) => `jetton/transfers?jetton_wallet=${account(f.busy, i)}`,
  'jetton/transfers, until a time': (f, i) => `jetton/transfers?end_utime=${at(f.time, i)}`,
  'jetton/masters': () => 'jetton/masters',
  'jetton/wallets': () => 'jetton/wallets',
  'jetton/wallets?owner_address=': (f, i) => `jetton/wallets?owner_address=${account(f.accounts, i)}`,
  'jetton/wallets?jetton_address=': (f, i) => `jetton/wallets?jetton_address=${account(f.jettons, i)}`,
  'jetton/wallets?jetton_address=&sort=desc': (f, i) =>
    `jetton/wallets?jetton_address=${account(f.jettons, i)}&sort=desc&exclude_zero_balance=true`,
  'nft/items': () => 'nft/items',
  'nft/items?owner_address=': (f, i) => `nft/items?owner_address=${account(f.accounts, i)}`,
  'nft/items?collection_address=': (f, i) => `nft/items?collection_address=${account(f.jettons, i)}`,
  'nft/collections': () => 'nft/collections',
  'nft/transfers': () => 'nft/transfers',
  'nft/transfers?owner_address=': (f, i) => `nft/transfers?owner_address=${account(f.busy, i)}`,
  'nft/transfers?collection_address=': (f, i) => `nft/transfers?collection_address=${account(f.jettons, i)}`,
  'accountStates x 20': (f, i) => `accountStates?${twenty(f.accounts, i, 'address')}`,
  'walletStates x 20': (f, i) => `walletStates?${twenty(f.accounts, i, 'address')}`,
  'accountStates?code_hash=': () =>
    `accountStates?include_boc=false&code_hash=thBBpYp5gLlG6PueGY48kE0keZ%2F6NldOpCUcQaVm9YE%3D`,
  'addressBook x 20': (f, i) => `addressBook?${twenty(f.accounts, i, 'address')}`,
  topAccountsByBalance: () => 'topAccountsByBalance',
  'topAccountsByBalance, offset 2000': () => 'topAccountsByBalance?limit=1000&offset=2000',
  'dns/records': () => 'dns/records?domain=a.ton',
}
