import { type Bag, type Cell, parseBoc } from '@shardwalk/cells'
import { blockKey, RecentMap } from '@shardwalk/model'
import type { RecordedBlock, Recording } from '@shardwalk/sources'

/** Number of parsed blocks to keep: consecutive queries often concern the same block. */
const MAX_TREES = 32

/** A block as cells, with the references of block.tlb `Block`. */
export interface BlockTree {
  readonly root: Cell
  readonly info: Cell
  readonly valueFlow: Cell
  readonly stateUpdate: Cell
  readonly extra: Cell
}

/** Cell trees of recorded blocks, parsed on demand. */
export class BlockTrees {
  private readonly trees = new RecentMap<string, Promise<BlockTree>>(MAX_TREES)

  constructor(private readonly recording: Recording) {}

  get(block: RecordedBlock): Promise<BlockTree> {
    const key = blockKey(block.id)
    const tree = this.trees.get(key) ?? this.load(block)
    this.trees.set(key, tree)
    return tree
  }

  /**
   * Only the Merkle update: computing states needs it for every block, and parsing the rest would dominate.
   */
  async stateUpdate(block: RecordedBlock): Promise<Cell> {
    const bag = await this.bag(block)
    return bag.cell(bag.ref(bag.root, 2))
  }

  private async bag(block: RecordedBlock): Promise<Bag> {
    // `Recording.read` has checked the file hash, so stored hashes are the node's own and no CRC is needed.
    return parseBoc(await this.recording.read(block), { trustStoredHashes: true, verifyCrc: false })
  }

  private async load(block: RecordedBlock): Promise<BlockTree> {
    const bag = await this.bag(block)
    const root = bag.cell(bag.root)
    const [info, valueFlow, stateUpdate, extra] = root.refs as [Cell, Cell, Cell, Cell]
    return { root, info, valueFlow, stateUpdate, extra }
  }
}
