// What emulations cost those who only read: /transactions alone, and beside previews of transfers between all
// wallets of the recorded chain, each with an address and a client of its own, with everything that wallets
// ask for. Lite server, API and clients are three processes.
//   node --import tsx apps/api/bench/emulation.bench.ts [emulations/s] [seconds per run] [of warm-up]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scratchDatabase, Verdicts } from '@shardwalk/testkit'
import { loadSampleChain } from '../test/sample-chain.ts'
import { type Ask, type Reply, startApi, startLiteServer, stop } from './api-process.ts'
import { CPU_KINDS, cpuOfPostgres, cpuOfThreads, parentOf, spentBetween } from './cpu-times.ts'

const EMULATIONS = Number(process.argv[2] ?? 100)
const SECONDS = Number(process.argv[3] ?? 15)
/** Previews alone, before anything is measured. */
const WARM_UP_SECONDS = Number(process.argv[4] ?? 10)
/** Requests to /transactions per second. */
const READS = 100
const ROUNDS = 3
/** Versions 3, 4 and 5. */
const WALLET_CODES = [
  'hNr6RJ+Ypph3ibojI1gHK8D3bcRSQAKl0JGLmnXS1Zk=',
  '/rX/aCDi/w2Ug+fg1iyBfYRniftK5YDIeIZtlZ2r1cA=',
  'IINLe3KxEhR+Gy+0V7hOdNGjDwT3N9T2KmaOlVLSty8=',
]

async function main(): Promise<void> {
  const scratch = await scratchDatabase()
  await loadSampleChain(scratch)
  const folder = mkdtempSync(join(tmpdir(), 'emulation-bench-'))
  const { lite, network } = await startLiteServer(folder)
  const api = await startApi({ DATABASE_URL: scratch.url, NETWORK: network, DATA_DIR: folder })
  try {
    const { rows } = await scratch.pool.query<{ address: string; backend: number }>(`
      select a.workchain || ':' || upper(encode(a.address, 'hex')) as address, pg_backend_pid() as backend
      from (select account_id, count(*) from transactions group by 1 order by 2 desc limit 20) t
      join accounts a on a.id = t.account_id`)
    const read = (i: number) => api.ask(`/api/v3/transactions?account=${rows[i % rows.length]!.address}`)
    const emulate = emulating(api.ask, await walletsOf(scratch))
    const postmaster = parentOf(rows[0]!.backend)!
    const cpu = () => new Map([...cpuOfThreads(api.child.pid!), ...cpuOfPostgres(postmaster)])
    await paced(read, READS, 5)
    await paced(emulate, EMULATIONS, WARM_UP_SECONDS)
    const alone: Reply[] = []
    const beside: Reply[] = []
    const emulated: Reply[] = []
    const spent = { mainThread: 0, backgroundThreads: 0, otherThreads: 0, postgres: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const before = cpu()
      alone.push(...(await paced(read, READS, SECONDS)))
      const between = cpu()
      const [reads, emulations] = await Promise.all([
        paced(read, READS, SECONDS),
        paced(emulate, EMULATIONS, SECONDS),
      ])
      beside.push(...reads)
      emulated.push(...emulations)
      const after = cpu()
      const [reading, both] = [spentBetween(before, between), spentBetween(between, after)]
      for (const kind of CPU_KINDS) spent[kind] += both[kind] - reading[kind]
    }
    const answered = emulated.filter(({ status }) => status === 200)
    console.log(`/transactions alone:  ${spread(alone)}`)
    console.log(`/transactions beside: ${spread(beside)}`)
    const rate = answered.length / SECONDS / ROUNDS
    console.log(`emulations: ${rate.toFixed(0)} of ${EMULATIONS}/s answered; ${spread(answered)}`)
    const others = [...new Set(emulated.map(({ status }) => status))].filter((status) => status !== 200)
    for (const status of others)
      console.log(`  status ${status}: ${emulated.filter((one) => one.status === status).length}`)
    const each = Object.entries(spent).map(([kind, ms]) => `${kind} ${(ms / answered.length).toFixed(2)}`)
    console.log(`CPU per emulation, ms: ${each.join(', ')}`)
    const verdicts = new Verdicts()
    verdicts.add(`${EMULATIONS} emulations/s answered`, rate > 0.99 * EMULATIONS, `${rate.toFixed(1)}/s`)
    const later = at(beside, 0.99) - at(alone, 0.99)
    verdicts.atMost(`p99 of /transactions beside them later by`, 20, later, 'ms')
    verdicts.print()
  } finally {
    await stop(api.child)
    await stop(lite)
    rmSync(folder, { recursive: true, force: true })
    await scratch.close()
  }
}

async function walletsOf({ pool }: Awaited<ReturnType<typeof scratchDatabase>>): Promise<readonly string[]> {
  const { rows } = await pool.query<{ address: string }>(
    `select a.workchain || ':' || upper(encode(a.address, 'hex')) as address
     from latest_account_states s join accounts a on a.id = s.account_id
     where s.code_hash = any($1) and s.balance > 1000000000 order by a.id`,
    [WALLET_CODES.map((hash) => Buffer.from(hash, 'base64'))],
  )
  return rows.map(({ address }) => address)
}

let transfers = 0
/** A transfer of another amount each time: the same one would be answered from memory. */
const emulating = (ask: Ask, wallets: readonly string[]) => () => {
  const wallet = ++transfers % wallets.length
  return ask('/api/emulate/v1/emulateTonConnect', {
    client: `10.1.${wallet >> 8}.${wallet & 255}`,
    body: {
      from: wallets[wallet],
      messages: [{ address: wallets[(7 * transfers) % wallets.length], amount: String(transfers) }],
      ...{ with_actions: true, include_code_data: true, include_address_book: true, include_metadata: true },
    },
  })
}

/** Requests begin at their times, however long others take, and their times count from then. */
async function paced(
  request: (index: number) => Promise<Reply>,
  perSecond: number,
  seconds: number,
): Promise<Reply[]> {
  const start = performance.now()
  const all: Promise<Reply>[] = []
  for (let i = 0; i < perSecond * seconds; i++) {
    const due = start + (1000 * i) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    all.push(request(i).then(({ status }) => ({ status, ms: performance.now() - due })))
  }
  return Promise.all(all)
}

function at(replies: readonly Reply[], share: number): number {
  const times = replies.map(({ ms }) => ms).sort((a, b) => a - b)
  return times[Math.floor((times.length - 1) * share)] ?? 0
}

const spread = (replies: readonly Reply[]): string =>
  [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(replies, share).toFixed(1)}`).join('  ')

await main()
