import { Builder, buildDict, type Cell, parseRoot, sliceToCell } from '@shardwalk/cells'
import type { DnsZone } from '@shardwalk/contracts'
import { type Db, loadCodes, readDnsZones, storeNetworkConfig } from '@shardwalk/db'
import {
  BASECHAIN,
  type BlockId,
  FULL_SHARD,
  LruCache,
  MASTERCHAIN,
  masterchainId,
  type RawAddress,
  RecentMap,
  shardToSigned,
  type Workchain,
} from '@shardwalk/model'
import { BlockNotAvailable, type BlockSource } from '@shardwalk/pipeline'
import { keyBlockConfig, stateConfig } from '@shardwalk/proofs'
import { dnsRootOf, workchainZerostates } from '@shardwalk/tlb'
import { slimConfig, type TvmEnvironment, type TvmPool } from '@shardwalk/tvm'
import { sql } from 'kysely'
import type { StateSource } from './state-source.ts'
import { storedConfig } from './stored-config.ts'

/** Its column. */
const MASTERCHAIN_SHARD = shardToSigned(FULL_SHARD)
/** Key blocks that are tried, newest first, when blocks come from files. */
const MAX_KEY_BLOCKS = 16

/** Seconds after which a library is looked for again: it may have been published, or removed. */
const LIBRARY_SECONDS = { found: 600, absent: 30 } as const

/** What of the chain is read again: the zerostate and key blocks, for the configuration. */
export type ChainSource = Pick<
  BlockSource,
  'zerostateId' | 'masterchainBlockId' | 'getBlock' | 'getZerostate'
>

interface Options {
  readonly db: Db
  readonly source: ChainSource
  /** Undefined when the chain comes from files. */
  readonly states: StateSource | undefined
  readonly pool: TvmPool
}

/** Of libraries in memory; mainnet publishes a few megabytes. */
const MAX_LIBRARY_BYTES = 64 << 20
/** What an entry takes beside its bag of cells. */
const ENTRY_BYTES = 200
/** Code that refers to libraries, and sets of libraries: both are few on mainnet. */
const MAX_CODES = 10_000
const MAX_ENVIRONMENTS = 64

interface Library {
  /** Undefined: no account publishes it. */
  readonly cell: Cell | undefined
  /** Milliseconds, as `performance.now()`. It is used until it has been looked up again. */
  readonly until: number
}

/**
 * What get-methods run in: the configuration of the newest indexed key block, and the libraries that a code
 * needs. Contracts are not shown previous blocks: these change with every block, while answers are cached by
 * code and data.
 */
export class ContractEnvironment {
  private keyBlock: number | undefined
  private config: Cell | undefined
  private readonly environments = new RecentMap<string, TvmEnvironment>(MAX_ENVIRONMENTS)
  /** By hash (hex). */
  private readonly libraries = new LruCache<string, Library>({ bytes: MAX_LIBRARY_BYTES })
  /** Hashes of the libraries (hex) that a code was seen to need, by hash of the code (hex). */
  private readonly neededBy = new RecentMap<string, Set<string>>(MAX_CODES)
  /** gen_utime of the newest indexed masterchain block. */
  now = 0
  /** The newest indexed masterchain block; undefined when nothing is indexed. */
  newest: BlockId | undefined
  dnsZones: readonly DnsZone[] = []

  constructor(private readonly options: Options) {}

  /**
   * For runs of a code, with only the libraries that it has needed before. `isWhole`: with the complete
   * configuration, which makes runs ten times as slow.
   */
  environmentFor(codeHash: Buffer, isWhole: boolean): TvmEnvironment {
    const needed = [...(this.neededBy.get(codeHash.toString('hex')) ?? [])].sort()
    const libraries = needed.flatMap((hex) => {
      const cell = this.libraries.get(hex)?.cell
      return cell ? [[hex, cell] as const] : []
    })
    const key = `${isWhole} ${libraries.map(([hex]) => hex).join()}`
    const environment = this.environments.get(key) ?? this.makeEnvironment(libraries, isWhole)
    this.environments.set(key, environment)
    return environment
  }

  library(hash: Buffer): Cell | undefined {
    return this.libraries.get(hash.toString('hex'))?.cell
  }

  /**
   * Follows the newest indexed block. `no_configuration`: the files hold neither its key block nor an older
   * one.
   */
  async update(): Promise<'empty' | 'ready' | 'no_configuration'> {
    const { rows } = await sql<{
      seqno: number
      key_block: boolean
      prev_key_block_seqno: number
      gen_utime: number
      root_hash: Buffer
      file_hash: Buffer
    }>`
      select seqno, key_block, prev_key_block_seqno, gen_utime, root_hash, file_hash from blocks
      where workchain = -1 and shard = ${MASTERCHAIN_SHARD}::int8 order by seqno desc limit 1`.execute(
      this.options.db,
    )
    const newest = rows[0]
    if (!newest) return 'empty'
    this.now = newest.gen_utime
    this.newest = { ...masterchainId(newest.seqno), rootHash: newest.root_hash, fileHash: newest.file_hash }
    const keyBlock = newest.key_block ? newest.seqno : newest.prev_key_block_seqno
    if (keyBlock === this.keyBlock) return 'ready'
    const config = await this.newestConfig(keyBlock)
    if (!config) return 'no_configuration'
    this.config = config
    this.environments.clear()
    await storeNetworkConfig(this.options.db, { keyBlockSeqno: keyBlock, boc: storedConfig(config) })
    // Last, so that what failed is done again.
    this.keyBlock = keyBlock
    return 'ready'
  }

  /** The configuration has to be stored again. */
  forget(): void {
    this.keyBlock = undefined
  }

  /** Loads a library that a code needs; false when no account publishes it. */
  async ensureLibrary(hash: Buffer, codeHash: Buffer): Promise<boolean> {
    const key = hash.toString('hex')
    const code = codeHash.toString('hex')
    const needed = this.neededBy.get(code) ?? new Set()
    this.neededBy.set(code, needed.add(key))
    return (await this.published([hash])).length > 0
  }

  /** Those of these libraries that an account publishes; they are loaded. */
  async published(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const isCurrent = (hash: Buffer) =>
      (this.libraries.get(hash.toString('hex'))?.until ?? 0) > performance.now()
    await this.load(hashes.filter((hash) => !isCurrent(hash)))
    return hashes.filter((hash) => this.library(hash) !== undefined)
  }

  /** The DNS root contract; undefined when the network has none, or names it in a form that is not known. */
  dnsRoot(): RawAddress | undefined {
    return this.config && dnsRootOf({ root: this.config.slice() })
  }

  /** Of the workchains that have begun by the newest indexed block, without the masterchain. */
  zerostates(): readonly BlockId[] {
    return this.config ? workchainZerostates({ root: this.config.slice() }, this.now) : []
  }

  /** Whether the workchain has accounts as of the newest indexed block. Every network has the first two. */
  hasWorkchain(workchain: Workchain): boolean {
    if (workchain === MASTERCHAIN || workchain === BASECHAIN) return true
    return this.zerostates().some((id) => id.workchain === workchain)
  }

  /**
   * Reads the zones of the network's domains. Call it after taking accounts from the queue: a zone is written
   * before the accounts that it concerns are queued.
   */
  async readZones(): Promise<void> {
    this.dnsZones = await readDnsZones(this.options.db)
  }

  /** Servers have every key block; of files, the newest at hand is taken. */
  private async newestConfig(keyBlock: number): Promise<Cell | undefined> {
    if (this.options.states) return this.loadConfig(keyBlock)
    const { rows } = await sql<{ seqno: number }>`
      select seqno from blocks where workchain = -1 and shard = ${MASTERCHAIN_SHARD}::int8 and key_block
      order by seqno desc limit ${MAX_KEY_BLOCKS}`.execute(this.options.db)
    for (const seqno of new Set([keyBlock, ...rows.map((row) => row.seqno), 0]))
      try {
        return await this.loadConfig(seqno)
      } catch (error) {
        if (!(error instanceof BlockNotAvailable)) throw error
      }
    return undefined
  }

  private async loadConfig(seqno: number): Promise<Cell> {
    const { source } = this.options
    if (seqno === 0) {
      const zerostate = await source.getZerostate(await source.zerostateId())
      if (!zerostate) throw new BlockNotAvailable('masterchain zerostate', 'source')
      return sliceToCell(stateConfig(parseRoot(zerostate), 'zerostate').root)
    }
    const block = await source.getBlock(await source.masterchainBlockId(seqno))
    return sliceToCell(keyBlockConfig(parseRoot(block), `key block ${seqno}`).root)
  }

  private async load(hashes: readonly Buffer[]): Promise<void> {
    if (hashes.length === 0) return
    const found = await this.findLibraries(hashes)
    const absent = this.options.states ? LIBRARY_SECONDS.absent : 0
    for (const hash of hashes) {
      const key = hash.toString('hex')
      const boc = found.get(key)
      const seconds = boc ? LIBRARY_SECONDS.found : absent
      const until = performance.now() + seconds * 1000
      const library = { cell: boc && parseRoot(boc), until }
      this.libraries.set(key, library, ENTRY_BYTES + (boc?.length ?? 0))
    }
  }

  /** Servers know what is published now. Files do not: any code ever seen is taken. */
  private async findLibraries(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, Buffer>> {
    const { states, db } = this.options
    if (states) return states.libraries(hashes)
    const codes = await loadCodes(db, hashes)
    return new Map(codes.map((boc) => [parseRoot(boc).hash().toString('hex'), boc]))
  }

  private makeEnvironment(
    libraries: readonly (readonly [hex: string, cell: Cell])[],
    isWhole: boolean,
  ): TvmEnvironment {
    if (!this.config) throw new Error('the configuration is not loaded yet')
    const entries = libraries.map(
      ([hex, cell]) => [BigInt(`0x${hex}`), new Builder().storeRef(cell)] as const,
    )
    const dict = buildDict(entries, 256)
    return this.options.pool.environment({
      config: isWhole ? this.config : slimConfig(this.config),
      ...(dict && { libraries: dict }),
    })
  }
}
