import { Builder, buildDict, CELL, type Cell, lookup, parseBoc } from '@shardwalk/cells'
import { type DnsZone, findDnsZones } from '@shardwalk/contracts'
import type { Db } from '@shardwalk/db'
import { MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import type { BlockSource } from '@shardwalk/pipeline'
import { keyBlockConfig, stateConfig } from '@shardwalk/proofs'
import { slimConfig, type TvmContractReader, type TvmEnvironment, type TvmPool } from '@shardwalk/tvm'
import { sql } from 'kysely'
import type { StateSource } from './state-source.ts'

/** Source: config parameter 4, `dns_root_addr:bits256`, an account of the masterchain. */
const DNS_ROOT = 4

interface Options {
  readonly db: Db
  readonly source: Pick<BlockSource, 'masterchainBlockId' | 'getBlock' | 'getZerostate'>
  readonly states: StateSource
  readonly pool: TvmPool
}

/** What get-methods run in: configuration of the newest indexed key block, and every library met so far. */
export class ContractEnvironment {
  #keyBlock: number | undefined
  #config: Cell | undefined
  #environment: TvmEnvironment | undefined
  readonly #libraries = new Map<string, Cell>()
  #libraryDict: Cell | undefined
  /** gen_utime of the newest indexed masterchain block. */
  now = 0
  dnsZones: readonly DnsZone[] = []

  constructor(private readonly options: Options) {}

  get environment(): TvmEnvironment {
    if (!this.#environment) throw new Error('the configuration is not loaded yet')
    return this.#environment
  }

  get libraries(): Cell | undefined {
    return this.#libraryDict
  }

  library(hash: Buffer): Cell | undefined {
    return this.#libraries.get(hash.toString('hex'))
  }

  /** Follows the newest indexed masterchain block; false while nothing is indexed. */
  async update(): Promise<boolean> {
    const { rows } = await sql<{ seqno: number; key_block: boolean; prev_key_block_seqno: number; gen_utime: number }>`
      select seqno, key_block, prev_key_block_seqno, gen_utime from blocks
      where workchain = -1 and shard = ${-(2n ** 63n)}::int8 order by seqno desc limit 1`.execute(this.options.db)
    const newest = rows[0]
    if (!newest) return false
    this.now = newest.gen_utime
    const keyBlock = newest.key_block ? newest.seqno : newest.prev_key_block_seqno
    if (keyBlock === this.#keyBlock) return true
    this.#config = await this.#loadConfig(keyBlock)
    this.#keyBlock = keyBlock
    this.#rebuild()
    return true
  }

  /** Makes the library known that a code cell stands for. */
  async ensureLibrary(code: Buffer): Promise<void> {
    const bag = parseBoc(code)
    if (bag.type(bag.root) === CELL.library)
      await this.#addLibrary(bag.cell(bag.root).exoticSlice().skip(8).loadBytes(32))
  }

  /** Contract that answers for the names of all zones; undefined when the network has none. */
  dnsRoot(): RawAddress | undefined {
    const root = this.#config && lookup(this.#config.slice(), 32, DNS_ROOT)?.loadRefSlice()
    return root && { workchain: MASTERCHAIN, hash: root.loadBytes(32) }
  }

  /** Asks the network's root for its zones. Returns collections that were none before. */
  async updateZones(reader: TvmContractReader): Promise<readonly RawAddress[]> {
    const root = this.dnsRoot()
    const contract = root && (await reader.find(root))
    const zones = contract ? await findDnsZones(contract, reader) : []
    const known = new Set(this.dnsZones.map(({ collection }) => collection.hash.toString('hex')))
    this.dnsZones = zones
    return zones.map(({ collection }) => collection).filter(({ hash }) => !known.has(hash.toString('hex')))
  }

  async #loadConfig(seqno: number): Promise<Cell> {
    const { source } = this.options
    if (seqno === 0) {
      const zerostate = await source.getZerostate(MASTERCHAIN)
      if (!zerostate) throw new Error('the masterchain zerostate is not to be had')
      const bag = parseBoc(zerostate)
      return stateConfig(bag.cell(bag.root), 'zerostate').root.toCell()
    }
    const bag = parseBoc(await source.getBlock(await source.masterchainBlockId(seqno)))
    return keyBlockConfig(bag.cell(bag.root), `key block ${seqno}`).root.toCell()
  }

  async #addLibrary(hash: Buffer): Promise<void> {
    const key = hash.toString('hex')
    if (this.#libraries.has(key)) return
    const boc = (await this.options.states.libraries([hash])).get(key)
    // Asked again next time: it may be published tomorrow.
    if (!boc) return
    const bag = parseBoc(boc)
    this.#libraries.set(key, bag.cell(bag.root))
    const entries = [...this.#libraries].map(
      ([hex, cell]) => [BigInt(`0x${hex}`), new Builder().storeRef(cell)] as const,
    )
    this.#libraryDict = buildDict(entries, 256)
    this.#rebuild()
  }

  #rebuild(): void {
    if (!this.#config) return
    const libraries = this.#libraryDict
    this.#environment = this.options.pool.environment({
      config: slimConfig(this.#config),
      ...(libraries && { libraries }),
    })
  }
}
