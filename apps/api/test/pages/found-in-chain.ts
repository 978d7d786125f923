import type { ScratchDatabase } from '@shardwalk/testkit'

const HASH = "'/tx/' || encode(hash_bytes, 'hex')"
const transaction = (which: string) =>
  `select ${HASH} from analytics.transactions where ${which} order by lt limit 1`
const message = (which: string, end: 'tx_hash_in' | 'tx_hash_out') =>
  `select '/tx/' || encode(analytics.hash(${end}), 'hex') from analytics.messages
   where ${which} and ${end} is not null order by created_lt limit 1`
/** The complete trace with the number of transactions closest to `count`. */
const trace = (count: number) =>
  `select '/trace/' || encode(trace_id_bytes, 'hex') from analytics.traces where state = 'complete'
   order by abs(transactions - ${count}), start_lt limit 1`
const block = (which: string) =>
  `select '/block/' || workchain || '/' || lpad(to_hex(shard), 16, '0') || '/' || seqno from blocks
   where ${which} order by seqno limit 1`
const account = (column: string, rest: string, tab = 'actions') =>
  `select '/address/' || ${column} || '?tab=${tab}' ${rest} order by ${column} limit 1`
const contract = (table: string) =>
  account(
    'analytics.address_text(workchain, address)',
    `from accounts join ${table} on account_id = accounts.id`,
  )

const OWNER = 'from analytics.jetton_holders where owner in (select real_owner from analytics.nft_items)'
const LAST_STATUS = (status: string) =>
  account('account', `from analytics.transactions where status_after = '${status}'`, 'transactions')

/** Statements that find pages about something of the recorded chain. */
const FOUND = {
  'account: actions': account('owner', OWNER),
  'account: transactions': account('owner', OWNER, 'transactions'),
  'account: jettons': account('owner', OWNER, 'jettons'),
  'account: NFTs': account('owner', OWNER, 'nfts'),
  'account: jetton': account('jetton', 'from analytics.jetton_holders', 'holders'),
  'account: jetton wallet': account('wallet', 'from analytics.jetton_holders'),
  'account: collection': account('collection', 'from analytics.nft_items where init', 'items'),
  'account: NFT': account('item', 'from analytics.nft_items where init'),
  'account: domain': account('item', 'from analytics.dns'),
  'account: multisig': contract('multisig_wallets'),
  'account: vesting': contract('vesting_contracts'),
  'account: frozen': LAST_STATUS('frozen'),
  'account: uninitialized': LAST_STATUS('uninit'),
  'account: never seen': `select '/address/0:${'0123'.repeat(16)}'`,
  'transaction: success': transaction("kind = 'ord' and success and out_messages > 0"),
  'transaction: aborted': transaction('not success and exit_code is not null'),
  'transaction: skipped': transaction("kind = 'ord' and exit_code is null and not success"),
  'transaction: tick-tock': transaction("kind = 'tick_tock'"),
  'transaction: bounced': message('bounced', 'tx_hash_in'),
  'transaction: deploying': transaction("status_before <> 'active' and status_after = 'active'"),
  'transaction: external out': message("kind = 'external_out'", 'tx_hash_out'),
  'trace of 1': trace(1),
  'trace of 3': trace(3),
  'trace of 40': trace(40),
  'trace of hundreds': trace(300),
  'block: shard': block('workchain = 0'),
  'block: after a split': block('after_split'),
  'block: after a merge': block('after_merge'),
  'block: key block': block('key_block and workchain = -1 and seqno > 1'),
  'block: two shards': `select '/block/-1/8000000000000000/' || mc_block_seqno from blocks
    where workchain = 0 group by mc_block_seqno having count(distinct shard) > 1 order by 1 limit 1`,
} as const

export type Kind = keyof typeof FOUND
export const KINDS = Object.keys(FOUND) as Kind[]

/** The path of a page of this kind. Throws if the chain has none. */
export async function pathOf({ pool }: Pick<ScratchDatabase, 'pool'>, kind: Kind): Promise<string> {
  const { rows } = await pool.query({ text: FOUND[kind], rowMode: 'array' })
  if (typeof rows[0]?.[0] !== 'string') throw new Error(`the sample has no ${kind}`)
  return rows[0][0]
}
