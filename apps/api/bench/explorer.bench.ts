// Measures explorer pages on a database created by large-database.ts: those of the busiest account, the
// largest jetton, NFT collection and trace, an NFT, the newest blocks.
//   node --import tsx apps/api/bench/explorer.bench.ts <URL> [rounds, default 20]
// Prints, for each page, its size, the median and the slowest of the rounds, the processor time that the API
// spends on it and how much of that is rendering, and its statements with the pages of the database that they
// touch, which must not grow with the account, and their time. Targets: 150 KB; 300 ms for an account of a
// database of ten million transactions; 10 ms of rendering.
import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { FunctionTimes } from './function-times.ts'
import { StatementCosts } from './statement-costs.ts'
import { recordStatements } from './statements.ts'

const [url, rounds = '20'] = process.argv.slice(2)
if (!url) throw new Error('usage: explorer.bench.ts <URL> [rounds]')

const open = (plans: 'kept' | 'by value') =>
  configurePlans(createDb({ url, max: 5, statementTimeoutMs: 3000 }).pool, plans)
const pool = open('by value')
const facts = createDb({ url, max: 1 })
const one = async (text: string): Promise<string | undefined> => (await facts.pool.query(text)).rows[0]?.one
const ADDRESS = 'analytics.address_text(workchain, address)'

/** The value that the planner's statistics say is the most common one. */
const mostCommon = (table: string, column: string) =>
  one(`select (most_common_vals::text::int8[])[1] as one from pg_stats
       where tablename = '${table}' and attname = '${column}' order by inherited desc limit 1`)
const addressOf = async (id: string | undefined) =>
  id && (await one(`select ${ADDRESS} as one from accounts where id = ${id}`))

const busiest = await addressOf(await mostCommon('transactions', 'account_id'))
const jetton = await addressOf(await mostCommon('jetton_wallets', 'jetton_id'))
const trace = await one(
  `select encode(trace_id, 'hex') as one from traces where state = 0 order by nodes desc limit 1`,
)
const transaction = await one(`select encode(hash, 'hex') as one from transactions order by lt desc limit 1`)
const collection = await addressOf(await mostCommon('nft_items', 'collection_id'))
const item = await addressOf(
  await one(
    `select i.account_id as one from nft_items i join latest_account_states s on s.account_id = i.account_id
     join contract_methods m on m.code_hash = s.code_hash order by i.item_index desc limit 1`,
  ),
)
const block = await one(
  `select workchain || '/' || lpad(to_hex(shard), 16, '0') || '/' || seqno as one from blocks
   where workchain = 0 order by mc_block_seqno desc, tx_count desc limit 1`,
)
console.log(`busiest account ${busiest}, jetton ${jetton}, collection ${collection}, NFT ${item}`)

const tabs = ['actions', 'transactions', 'jettons', 'nfts'].map((tab) => `/address/${busiest}?tab=${tab}`)
const paths = [
  ...tabs,
  ...(jetton ? ['actions', 'holders'].map((tab) => `/address/${jetton}?tab=${tab}`) : []),
  ...(collection ? [`/address/${collection}?tab=items`] : []),
  ...(item ? [`/address/${item}`] : []),
  ...(trace ? [`/trace/${trace}`] : []),
  ...(transaction ? [`/tx/${transaction}`] : []),
  ...(block ? [`/block/${block}`] : []),
  ...['/blocks', '/block/latest', '/'],
]
const app = createApi({ db: keepPlans(pool, open('kept')), pages: { detail: 'full', network: 'bench' } })
const server = await listen(app, { host: '127.0.0.1', port: 0 })
const recorder = recordStatements()
const costs = await StatementCosts.open(url)
const times = await FunctionTimes.start()

/** Visits whose rendering is measured, after those whose time is. */
const RENDERED = 10

for (const path of paths) {
  const waits: number[] = []
  const work: number[] = []
  let bytes = 0
  const visit = async () => {
    const start = performance.now()
    const before = process.cpuUsage()
    const reply = await fetch(server.url + path)
    bytes = (await reply.arrayBuffer()).byteLength
    waits.push(performance.now() - start)
    const { user, system } = process.cpuUsage(before)
    work.push((user + system) / 1000)
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
  }
  const statements = await recorder.during(visit)
  for (let round = 1; round < Number(rounds); round++) await visit()
  const [first] = waits
  const sorted = waits.toSorted((a, b) => a - b)
  work.sort((a, b) => a - b)
  const { pages, ms } = await costs.of(statements)
  const rendering = await times.during('pages/src/documents', async () => {
    for (let round = 0; round < RENDERED; round++) await visit()
  })
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(0)
  console.log(
    `${path.slice(0, 40).padEnd(40)} ${path.split('?')[1] ?? ''}`.padEnd(58) +
      `${String(bytes).padStart(7)} B  first ${first!.toFixed(0)} ms, median ${at(0.5)} ms, ` +
      `slowest ${at(1)} ms, processor ${work[work.length >> 1]!.toFixed(1)} ms, ` +
      `rendering ${(rendering / RENDERED).toFixed(1)} ms, ` +
      `${statements.length} statements, ${pages} pages, ${ms.toFixed(0)} ms`,
  )
}
process.exit()
