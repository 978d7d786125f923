// Measures the import of a list of mintless jetton owners: reading the file, wallets and rows per second,
// bytes per owner. The master contract is minimal; those on mainnet try several salts per owner.
// Run: node --import tsx apps/metadata/bench/airdrops.bench.ts [owners]
import { claimAirdrop, sweepAirdrops } from '@shardwalk/db'
import { MetadataFetcher } from '@shardwalk/metadata'
import { silentLogger } from '@shardwalk/observability'
import { mintlessJetton, randomFrom, scratchDatabase } from '@shardwalk/testkit'
import { TvmPool } from '@shardwalk/tvm'
import { importList } from '../src/airdrops/import-list.ts'
import { readList } from '../src/airdrops/read-list.ts'
import { deployMaster, describeMaster } from '../test/mintless-master.ts'

const owners = Number(process.argv[2] ?? 20_000)
const random = randomFrom(1)
const hash = () => Buffer.from(Uint32Array.from({ length: 8 }, () => random() * 2 ** 32).buffer)
const items = Array.from({ length: owners }, (_, i) => ({
  owner: { workchain: 0, hash: hash() },
  amount: BigInt(Math.floor(random() * 2 ** 40)),
  startFrom: 1_700_000_000,
  expiredAt: 1_900_000_000 + i,
}))
const jetton = mintlessJetton({ items })
const { signal } = new AbortController()
const perSecond = (count: number, since: number) => Math.round(count / ((performance.now() - since) / 1000))

const bytesEach = (jetton.dump.length / owners).toFixed(1)
console.log(
  `${owners} owners, ${(jetton.dump.length / 2 ** 20).toFixed(1)} MiB, ${bytesEach} bytes an owner in ` +
    'the file',
)
const reading = performance.now()
await readList(jetton.dump, jetton.root, signal)
console.log(
  `file read and checked: ${perSecond(owners, reading)} owners a second, start of the thread included`,
)

const scratch = await scratchDatabase()
const tvm = new TvmPool({ cacheSize: 0 })
try {
  await deployMaster(scratch, jetton, 1n)
  await describeMaster(scratch, 'http://mintless.example/list')
  await sweepAirdrops(scratch.db)
  const task = await claimAirdrop(scratch.db, { leaseSeconds: 3600 })
  const size = async () =>
    Number((await scratch.pool.query('select pg_database_size(current_database()) as size')).rows[0].size)
  const before = await size()
  const fetcher = new MetadataFetcher()
  fetcher.download = async () => jetton.dump
  const importing = performance.now()
  const outcome = await importList(task!, {
    database: scratch,
    fetcher,
    log: silentLogger,
    signal,
    maxBytes: 2 ** 30,
    tvm,
  })
  console.log(`${outcome}: ${perSecond(owners, importing)} owners a second`)
  console.log(`database: ${Math.round(((await size()) - before) / owners)} bytes an owner`)
} finally {
  await tvm.close()
  await scratch.close()
}
