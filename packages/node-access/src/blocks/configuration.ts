import type { Cell } from '@shardwalk/cells'
import { type BlockId, formatBlockId, type PreviousBlocks } from '@shardwalk/model'
import { verifyConfig, verifyLibrary, verifyPreviousBlocks } from '@shardwalk/proofs'
import { LITE_MODE } from '@shardwalk/tl'
import type { ConfigParams } from '@shardwalk/tlb'
import { AsyncCache } from '../async-cache.ts'
import type { LiteClient } from '../lite-client.ts'
import type { Blocks } from './blocks.ts'

/** Configuration parameters that contracts can read. */
const GLOBAL_VERSION = 8
/** How long to wait before asking again for an unpublished library. Milliseconds. */
const ABSENT_LIBRARY_MS = 5000

/** Data shared by all contracts: parameters of the network, previous blocks, public libraries. */
export class Configuration {
  private readonly configs = new AsyncCache<ConfigParams>(8)
  private readonly previous = new AsyncCache<PreviousBlocks>(500)
  private readonly libraries = new AsyncCache<Cell>(500)
  private readonly absentLibraries = new AsyncCache<Cell | undefined>(500, { ttlMs: ABSENT_LIBRARY_MS })

  constructor(
    private readonly client: LiteClient,
    private readonly blocks: Blocks,
  ) {}

  /** The parameters at a masterchain block. */
  async at(mcBlock: BlockId): Promise<ConfigParams> {
    return this.configs.get(String(await this.epoch(mcBlock)), () =>
      this.client.ask('liteServer.getConfigAll', { id: mcBlock, mode: 0 }, (answer) =>
        verifyConfig(answer, mcBlock),
      ),
    )
  }

  /**
   * Seqno of the key block whose parameters apply at a masterchain block. Parameters change in key blocks
   * only.
   */
  async epoch(mcBlock: BlockId): Promise<number> {
    const { header } = await this.blocks.header(mcBlock)
    return header.keyBlock ? mcBlock.seqno : header.prevKeyBlockSeqno
  }

  /** The previous blocks that contracts see at a masterchain block, which include the block itself. */
  previousBlocks(mcBlock: BlockId): Promise<PreviousBlocks> {
    return this.previous.get(formatBlockId(mcBlock), () =>
      this.client.ask(
        'liteServer.getConfigParams',
        { id: mcBlock, mode: LITE_MODE.config.previousBlocks, paramList: [GLOBAL_VERSION] },
        (answer) => verifyPreviousBlocks(answer, mcBlock),
      ),
    )
  }

  /** A public library; undefined when no library with this hash is published. */
  library(hash: Buffer): Promise<Cell | undefined> {
    const key = hash.toString('latin1')
    return this.absentLibraries.get(key, async () => {
      try {
        return await this.libraries.get(key, () => this.fetchLibrary(hash))
      } catch (error) {
        if (error === NOT_PUBLISHED) return undefined
        throw error
      }
    })
  }

  private async fetchLibrary(hash: Buffer): Promise<Cell> {
    const at = await this.blocks.masterchain()
    const args = { id: at, mode: 0, libraryList: [hash] }
    const found = await this.client.ask('liteServer.getLibrariesWithProof', args, (answer) => ({
      library: verifyLibrary(answer, at, hash),
    }))
    if (!found.library) throw NOT_PUBLISHED
    return found.library
  }
}

/** Thrown rather than returned: failures are not cached, and a library may be published at any moment. */
const NOT_PUBLISHED = new Error('no such library')
