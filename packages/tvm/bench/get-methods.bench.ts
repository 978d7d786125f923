// Measures get-methods per second and thread, and accounts refreshed per second, on the contracts of the
// sample network.
// Run: node --import tsx packages/tvm/bench/get-methods.bench.ts [threads]
import { lookup, serializeBoc } from '@shardwalk/cells'
import { type DnsZone, detectContract, findDnsZones } from '@shardwalk/contracts'
import { formatRawAddress } from '@shardwalk/model'
import { type FinalAccount, finalStates, readFacts } from '../../contracts/test/final-states.ts'
import { type LoadedContract, slimConfig, TvmContractReader, TvmPool } from '../src/index.ts'

const threads = Number(process.argv[2] ?? 1)
const states = finalStates()
const facts = readFacts()
const { libraries } = states
const load = (account: FinalAccount): LoadedContract => ({
  ...account,
  code: serializeBoc(account.code),
  data: serializeBoc(account.data),
})
const contracts = new Map([...states.accounts].map(([address, account]) => [address, load(account)]))
const jettonWallets = facts.jettons.flatMap((jetton: { wallets: { address: string }[] }) =>
  jetton.wallets.map((wallet) => contracts.get(wallet.address.toUpperCase())),
) as LoadedContract[]

for (const [name, config] of [
  ['slim configuration', slimConfig(states.config)],
  ['full configuration', states.config],
] as const) {
  const pool = new TvmPool({ threads, cacheSize: 0 })
  const environment = pool.environment({ config, ...(libraries && { libraries }) })
  const call = (contract: LoadedContract) => pool.run({ ...contract, environment, method: 'get_wallet_data' })
  await Promise.all(jettonWallets.map(call))
  const count = 3_000
  const start = performance.now()
  await Promise.all(
    Array.from({ length: count }, (_, i) => call(jettonWallets[i % jettonWallets.length] as LoadedContract)),
  )
  const seconds = (performance.now() - start) / 1000
  const rate = Math.round(count / seconds / threads)
  console.log(`${name}: ${rate} get_wallet_data per second and thread (${threads} threads)`)
  await pool.close()
}

const pool = new TvmPool({ threads, cacheSize: 0 })
const environment = pool.environment({ config: slimConfig(states.config), ...(libraries && { libraries }) })
const newReader = () =>
  new TvmContractReader({
    pool,
    environmentFor: () => environment,
    findLibrary: (hash) => lookup(libraries?.slice(), 256, hash)?.loadRefCell(),
    load: async (address) => contracts.get(formatRawAddress(address)),
  })
const [workchain, hash] = facts.dns.root.split(':')
const root = await newReader().find({ workchain: Number(workchain), hash: Buffer.from(hash, 'hex') })
const dnsZones: DnsZone[] = root ? await findDnsZones(root, newReader()) : []
for (const round of ['cold', 'warm', 'warm']) {
  const before = pool.counters.calls
  const start = performance.now()
  const reader = newReader()
  const found = await Promise.all(
    [...contracts.values()].map((contract) => detectContract(reader.open(contract), reader, { dnsZones })),
  )
  const seconds = (performance.now() - start) / 1000
  const calls = pool.counters.calls - before
  const details = `${contracts.size} accounts, ${calls} calls, ${found.flat().length} interfaces`
  console.log(`${round}: ${Math.round(contracts.size / seconds)} accounts per second (${details})`)
}
await pool.close()
