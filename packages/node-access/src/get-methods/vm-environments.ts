import { Builder, buildDict, type Cell, sliceToCell } from '@shardwalk/cells'
import { type BlockId, RecentMap } from '@shardwalk/model'
import { slimConfig, type TvmEnvironment, type TvmPool } from '@shardwalk/tvm'
import { AsyncCache } from '../async-cache.ts'
import type { Configuration } from '../blocks/configuration.ts'
import { libraryReferences, MAX_LIBRARIES_OF_CODE } from './library-references.ts'

/** Maximum number of libraries kept for later runs; the oldest are dropped first. */
const MAX_LIBRARIES = 64
/** Libraries of one code that servers are asked for at the same time. */
const LIBRARIES_AT_ONCE = 4

/** What TVM needs besides the contract: network parameters, and the libraries that runs ask for. */
export class VmEnvironments {
  private readonly environments = new AsyncCache<TvmEnvironment>(8)
  private readonly libraries = new RecentMap<string, Cell>(MAX_LIBRARIES)
  private version = 0

  constructor(
    private readonly tvm: TvmPool,
    private readonly configuration: Configuration,
  ) {}

  /** Grows with every library that is made available. */
  get librariesVersion(): number {
    return this.version
  }

  /** `isSlim`: only the parameters that get-methods of tokens and wallets read, which makes runs faster. */
  async at(mcBlock: BlockId, isSlim: boolean): Promise<TvmEnvironment> {
    const epoch = await this.configuration.epoch(mcBlock)
    return this.environments.get(`${epoch} ${isSlim} ${this.version}`, async () => {
      const { root } = await this.configuration.at(mcBlock)
      const config = sliceToCell(root)
      const libraries = this.libraryDict()
      return this.tvm.environment({
        config: isSlim ? slimConfig(config) : config,
        ...(libraries && { libraries }),
      })
    })
  }

  /**
   * Makes a public library available to later environments. Returns false when it is not published.
   */
  async addLibrary(hash: Buffer): Promise<boolean> {
    const key = hash.toString('hex')
    if (this.libraries.has(key)) return true
    const library = await this.configuration.library(hash)
    if (!library) return false
    this.libraries.set(key, library)
    this.version++
    return true
  }

  /** Makes every library known that a code, or data, refers to, and those that these libraries refer to. */
  async addLibrariesOf(code: Cell): Promise<void> {
    const wanted = new Map<string, Buffer>()
    const want = (cell: Cell) => {
      for (const hash of libraryReferences(cell))
        if (wanted.size < MAX_LIBRARIES_OF_CODE) wanted.set(hash.toString('hex'), hash)
    }
    want(code)
    for (let done = 0; done < wanted.size; ) {
      const together = [...wanted].slice(done, done + LIBRARIES_AT_ONCE)
      await Promise.all(together.map(([, hash]) => this.addLibrary(hash)))
      for (const [key] of together) {
        const library = this.libraries.get(key)
        if (library) want(library)
      }
      done += together.length
    }
  }

  private libraryDict(): Cell | undefined {
    const entries = [...this.libraries].map(
      ([hash, cell]) => [Buffer.from(hash, 'hex'), new Builder().storeRef(cell)] as const,
    )
    return buildDict(entries, 256)
  }
}
