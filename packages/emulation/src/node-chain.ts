import { type BlockId, FULL_SHARD, MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { type CallScope, type NodeAccess, within } from '@shardwalk/node-access'
import type { EmulateResult } from '@shardwalk/tvm'
import { readAccount, shardAccountCell } from './account-view.ts'
import { EmulationError } from './errors.ts'
import type { AccountView, ChainView, RunInput, ShardPlace } from './types.ts'
import { latest } from './virtual-blocks.ts'

/**
 * The chain at a masterchain block, read from lite servers with proofs. `seqno`: default is the newest.
 * `scope`: deadline and client of all queries.
 */
export async function openChain(node: NodeAccess, scope: CallScope, seqno?: number): Promise<NodeChain> {
  return within(scope, async () => {
    const head = await node.blocks.masterchain()
    if (seqno !== undefined && seqno > head.seqno)
      throw new EmulationError('block_too_new', 'mc block seqno is too new')
    const mcBlock = seqno === undefined ? head : await node.blocks.masterchain(seqno)
    prefetch(node, mcBlock)
    const [{ header }, tops] = await Promise.all([node.blocks.header(mcBlock), node.shards.tops(mcBlock)])
    const shards = [{ workchain: MASTERCHAIN, shard: FULL_SHARD, seqno: mcBlock.seqno }, ...tops]
    return new NodeChain(node, scope, {
      mcBlock,
      shards,
      utime: Math.max(header.genUtime, ...tops.map((top) => top.genUtime)),
      endLt: latest([header.endLt, ...tops.map((top) => top.endLt)]),
    })
  })
}

/** What every transaction needs is asked for beside the rest. Who needs it reports its failure. */
function prefetch({ configuration }: NodeAccess, mcBlock: BlockId): void {
  for (const wanted of [configuration.at(mcBlock), configuration.previousBlocks(mcBlock)])
    wanted.catch(() => {})
}

interface Surroundings extends Pick<ChainView, 'mcBlock' | 'shards' | 'utime' | 'endLt'> {}

/** A chain for emulation, read from lite servers. */
export class NodeChain implements ChainView {
  readonly mcBlock: BlockId
  readonly shards: readonly ShardPlace[]
  readonly utime: number
  readonly endLt: bigint

  constructor(
    readonly node: NodeAccess,
    readonly scope: CallScope,
    { mcBlock, shards, utime, endLt }: Surroundings,
  ) {
    this.mcBlock = mcBlock
    this.shards = shards
    this.utime = utime
    this.endLt = endLt
  }

  account(address: RawAddress): Promise<AccountView> {
    return within(this.scope, async () => {
      const { cell, lastTransLt, lastTransHash } = await this.node.accounts.cellAt(this.mcBlock, address)
      return readAccount(cell, { lastTransLt, lastTransHash })
    })
  }

  run({ account, shardAccount, initCode, ...run }: RunInput): Promise<EmulateResult> {
    return within(this.scope, () =>
      this.node.getMethods.emulate({
        ...run,
        code: account.code ?? initCode,
        head: this.mcBlock,
        shardAccount: shardAccount ?? shardAccountCell(account),
      }),
    )
  }

  /** The same chain with another deadline. */
  during(scope: CallScope): NodeChain {
    return new NodeChain(this.node, scope, this)
  }
}
