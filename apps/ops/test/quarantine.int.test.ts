import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { countQuarantine } from '@shardwalk/db'
import { record } from '@shardwalk/sources'
import {
  type GeneratedStep,
  type GeneratedTransaction,
  generatedChain,
  generatedSource,
  type ScratchDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { isLong } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeDataDir } from './drill.ts'
import { PATIENCE_MS, waitUntil } from './processes.ts'
import { runCommand } from './run-command.ts'
import { cleanUp, RunningStart } from './running-start.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const LAST = 8
const BAD_SEQNO = 5
/** More than a column of 64 bits holds. */
const UNENCODABLE = 1n << 80n

const folders: string[] = []
let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await cleanUp(folders)
  await scratch.close()
})

/**
 * A chain with one account state that no column can hold, and two transactions in the same masterchain block
 * and its shard blocks.
 */
function makeChain(): {
  readonly steps: readonly GeneratedStep[]
  readonly victims: readonly GeneratedTransaction[]
} {
  const balanceAt = { seqno: BAD_SEQNO, balance: UNENCODABLE, alone: true }
  for (let seed = 22; ; seed++) {
    const steps = [...generatedChain({ seed, steps: LAST, transactions: 12, balanceAt })]
    const { shards, masterchain } = steps.find(({ mcSeqno }) => mcSeqno === BAD_SEQNO)!
    const states = [...shards, masterchain].flatMap((block) => [...block.states.values()])
    const victims = shards.flatMap((block) => block.transactions).slice(0, 2)
    if (victims.length === 2 && states.filter(({ balance }) => balance === UNENCODABLE).length === 1)
      return { steps, victims }
  }
}

test(
  'two transactions and one state that cannot be stored are all that is missing, everything says so, and ' +
    '`repair --quarantined` heals what can be healed, as does `start` once per version',
  async () => {
    const { steps, victims } = makeChain()
    const hashes = victims.map(({ cell }) => `'\\x${cell.hash().toString('hex')}'::bytea`)
    const [network, dataDir] = [await makeDataDir(folders), await makeDataDir(folders)]
    const { db, url } = scratch
    await record({ source: generatedSource(steps), folder: network, from: 1, to: LAST })
    const flags = ['--network', network, '--data-dir', dataDir]
    const shardwalk = (...args: readonly string[]) => runCommand([...args, ...flags])
    const accept = sql`alter table transactions drop constraint if exists refused`
    const refuse = async (refused: readonly string[]) => {
      await accept.execute(db)
      const check = sql.raw(`hash not in (${refused.join()})`)
      await sql`alter table transactions add constraint refused check (${check}) not valid`.execute(db)
    }
    const inQuarantine = () => countQuarantine(db)

    vi.stubEnv('DATABASE_URL', url)
    await refuse(hashes)
    const apiPort = await freePort()
    const ingestPort = await freePort()
    const start = () => {
      const env = { INGEST_PORT: String(ingestPort) }
      return new RunningStart({ dataDir, apiPort, args: ['--network', network], env })
    }
    const until = (run: RunningStart, text: string) => untilReadyzSays(run, apiPort, text)

    const first = start()
    await until(first, 'in quarantine: 0 blocks, 2 transactions, 1 account states')
    const { code, text } = await shardwalk('status', '--json')
    expect(code, text).toBe(0)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      quarantined: { blocks: 0, transactions: 2, states: 1, versions: 0 },
    })
    await untilAlerted(ingestPort, ['transactions', 'states'])
    const { rows } = await sql<{ n: bigint }>`select count(*) as n from transactions`.execute(db)
    const all = steps.flatMap(({ shards, masterchain }) => [...shards, masterchain])
    expect(Number(rows[0]!.n)).toBe(all.reduce((sum, block) => sum + block.transactions.length, 0) - 2)

    await refuse(hashes.slice(1))
    expect((await shardwalk('repair', '--quarantined')).code).toBe(0)
    expect(await inQuarantine()).toEqual({ blocks: 0, transactions: 1, states: 1, versions: 0 })
    expect((await shardwalk('verify', '1', String(LAST))).code).toBe(2)
    expect((await shardwalk('verify', '1', String(BAD_SEQNO - 1))).code).toBe(0)
    if (isLong) {
      await refuse(hashes)
      expect((await shardwalk('repair', String(BAD_SEQNO), String(BAD_SEQNO))).code).toBe(0)
      expect(await inQuarantine()).toEqual({ blocks: 0, transactions: 2, states: 1, versions: 0 })
    }

    // Once more, but now with another version of the program.
    await accept.execute(db)
    await sql`update quarantine set tried_with = 'an earlier version'`.execute(db)
    // It is ingest that tries again when it starts: without long tests a new one is enough.
    if (isLong) expect(await first.stop()).toBe(0)
    else await first.kill('ingest')
    const last = isLong ? start() : first
    await until(last, 'in quarantine: 0 blocks, 0 transactions, 1 account states')
    expect(await last.stop()).toBe(0)
  },
  8 * PATIENCE_MS,
)

async function untilReadyzSays(run: RunningStart, apiPort: number, text: string): Promise<void> {
  let reply = ''
  const says = async () => {
    run.assertAlive()
    const url = `http://127.0.0.1:${apiPort}/readyz?synced=1`
    const found = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    reply = (await found?.text().catch(() => '')) ?? ''
    return found?.status === 503 && reply.includes(text)
  }
  const seen = () => `${reply}\n${run.lines.slice(-30).join('\n')}`
  await waitUntil(`/readyz?synced=1 says "${text}"`, says, {
    everyMs: 400,
    seen,
  })
}

/** Waits until the series that the alert watches is above 0 for these kinds. */
async function untilAlerted(ingestPort: number, kinds: readonly string[]): Promise<void> {
  const rules = await readFile(`${ROOT}infra/alerts.yml`, 'utf8')
  const [, metric] = /expr: max by \(kind\) \((\w+)\) > 0/.exec(rules) ?? []
  let text = ''
  const isAbove = async () => {
    const reply = await fetch(`http://127.0.0.1:${ingestPort}/metrics`).catch(() => undefined)
    text = (await reply?.text().catch(() => '')) ?? ''
    return kinds.every((kind) => new RegExp(`^${metric}\\{kind="${kind}"\\} [1-9]`, 'm').test(text))
  }
  await waitUntil(`${metric} is above 0`, isAbove, { seen: () => text })
}
