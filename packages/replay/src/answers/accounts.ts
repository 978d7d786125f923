import { type Cell, lookup, serializeBoc } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN, type ShardId, shardContainsPrefix } from '@shardwalk/model'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readState, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import type { ChainBlock } from '../shard-index.ts'
import { shardProof } from './shards.ts'

type Arguments = LiteArguments['liteServer.getAccountState']
type Answer = Promise<LiteResults['liteServer.getAccountState']>

/**
 * The account as of the reference block, with proofs from that block; throws `Refusal` as the node does.
 * Source: lite_api.tl, `liteServer.getAccountState`.
 */
export async function getAccountState(chain: ReplayChain, args: Arguments): Answer {
  return accountState(chain, args, (account) => serializeBoc(account))
}

/** The account without code, data and libraries: the proof opens only its root cell. */
export async function getAccountStatePruned(chain: ReplayChain, args: Arguments): Answer {
  return accountState(chain, args, (account) => {
    const reader = new ProofReader(account)
    reader.visit(account)
    return reader.boc()
  })
}

async function accountState(
  chain: ReplayChain,
  { id, account }: Arguments,
  toBytes: (account: Cell) => Buffer,
): Answer {
  checkBlockId(id)
  const reference = chain.reference(id)
  const { shardblk, shardProof } = await shardOf(chain, reference, account)
  if (shardblk.workchain !== account.workchain)
    return { id: reference.id, shardblk, shardProof, proof: EMPTY, state: EMPTY }
  const { proof, state } = await accountProof(chain, chain.loadable(shardblk), account.id)
  return { id: reference.id, shardblk, shardProof, proof, state: state ? toBytes(state) : EMPTY }
}

const EMPTY = Buffer.alloc(0)

/** Shard block that contains the account as of the reference block, with a proof unless it is that block. */
async function shardOf(
  chain: ReplayChain,
  reference: ChainBlock,
  account: Arguments['account'],
): Promise<{ shardblk: BlockId; shardProof: Buffer }> {
  const { id } = reference
  const prefix = accountPrefix(account.id)
  if (id.workchain === account.workchain) {
    if (shardContainsPrefix(id.shard, prefix)) return { shardblk: id, shardProof: EMPTY }
    throw badRequest('requested account id is not contained in the shard of the reference block')
  }
  if (id.workchain !== MASTERCHAIN)
    throw badRequest('reference block for a getAccountState() must belong to the masterchain')
  const wanted = { workchain: account.workchain, shard: prefix | 1n, exact: false }
  const { proof, shardblk } = await shardProof(chain, reference, wanted)
  return { shardblk, shardProof: proof }
}

/** Top 64 bits of an account id. */
export const accountPrefix = (account: Buffer): ShardId => account.readBigUInt64BE(0)

/** Two roots: shard block, and shard state down to the account or to where it is missing. */
async function accountProof(
  chain: ReplayChain,
  block: ChainBlock,
  account: Buffer,
): Promise<{ proof: Buffer; state: Cell | undefined }> {
  const reader = new ProofReader(await chain.state(block.id))
  const state = findAccount(reader, account)
  return { proof: serializeBoc([stateRootProof(await chain.tree(block)), reader.proof()]), state }
}

/**
 * Source: block.tlb `ShardAccounts`: HashmapAugE 256 of DepthBalanceInfo and ^Account, last_trans_hash,
 * last_trans_lt.
 */
function findAccount(reader: ProofReader, account: Buffer): Cell | undefined {
  const { accounts } = readState(reader)
  const dict = reader.open(accounts)
  const leaf = dict.loadBit() ? lookup(dict.loadRefSlice(), 256, account) : undefined
  if (!leaf) return undefined
  // Skips DepthBalanceInfo: split_depth (5 bits), Grams, extra currencies (an optional reference).
  leaf.skip(5).loadCoins()
  leaf.loadMaybeRefCell()
  return leaf.loadRefCell()
}
