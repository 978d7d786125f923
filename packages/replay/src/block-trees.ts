import { type Bag, type Cell, parseBoc } from '@shardwalk/cells'
import { blockKey } from '@shardwalk/model'
import type { RecordedBlock, Recording } from '@shardwalk/sources'

/** Parsed blocks kept: answers about one block come in runs. */
const MAX_TREES = 32

/** A block as cells; references in the order of block.tlb `Block`. */
export interface BlockTree {
  readonly root: Cell
  readonly info: Cell
  readonly valueFlow: Cell
  readonly stateUpdate: Cell
  readonly extra: Cell
}

/** Cell trees of recorded blocks, parsed when asked for. */
export class BlockTrees {
  private readonly trees = new Map<string, Promise<BlockTree>>()

  constructor(private readonly recording: Recording) {}

  get(block: RecordedBlock): Promise<BlockTree> {
    const key = blockKey(block.id)
    const tree = this.trees.get(key) ?? this.load(block)
    this.trees.delete(key)
    this.trees.set(key, tree)
    if (this.trees.size > MAX_TREES) this.trees.delete(this.trees.keys().next().value!)
    return tree
  }

  /** The Merkle update alone: making states needs it of every block, and the rest would be most of the work. */
  async stateUpdate(block: RecordedBlock): Promise<Cell> {
    const bag = await this.bag(block)
    return bag.cell(bag.ref(bag.root, 2))
  }

  private async bag(block: RecordedBlock): Promise<Bag> {
    // `Recording.read` compared the file with its hash: hashes stored in it are those the node computed, and no CRC is needed.
    return parseBoc(await this.recording.read(block), { trustStoredHashes: true, verifyCrc: false })
  }

  private async load(block: RecordedBlock): Promise<BlockTree> {
    const bag = await this.bag(block)
    const root = bag.cell(bag.root)
    const [info, valueFlow, stateUpdate, extra] = root.refs as [Cell, Cell, Cell, Cell]
    return { root, info, valueFlow, stateUpdate, extra }
  }
}
