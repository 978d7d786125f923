import { type Cell, parseRoot } from '@shardwalk/cells'
import {
  type BlockId,
  formatBlockId,
  formatRawAddress,
  type RawAddress,
  sameBlock,
  shardContainsPrefix,
} from '@shardwalk/model'
import { findShardAccount, loadShardState } from '@shardwalk/tlb'
import { openProofPair } from './config.ts'
import { prove, proving } from './errors.ts'
import { newStateHash, provenBlock } from './proven-block.ts'
import { findShardTop } from './shards.ts'

/** Fields of `liteServer.accountState` used by the check. */
export interface AccountStateAnswer {
  readonly id: BlockId
  readonly shardblk: BlockId
  readonly shardProof: Buffer
  readonly proof: Buffer
  readonly state: Buffer
}

/** A proven account; `account` is undefined if it does not exist at that block. */
export interface ProvenAccount {
  readonly masterchainBlock: BlockId
  readonly shardBlock: BlockId
  readonly account?: {
    /** The complete `Account` cell. */
    readonly cell: Cell
    readonly lastTransHash: Buffer
    readonly lastTransLt: bigint
  }
}

/**
 * Checks an answer to `getAccountState` at masterchain block `at`: block, masterchain state, shard block,
 * shard state, account. Throws `ProofError`. Source: node, crypto/block/check-proof.cpp.
 */
export function verifyAccountState(
  answer: AccountStateAnswer,
  at: BlockId,
  address: RawAddress,
): ProvenAccount {
  const subject = `account ${formatRawAddress(address)} at ${at.seqno}`
  prove(sameBlock(answer.id, at), subject, `the answer is for ${formatBlockId(answer.id)}`)
  const shardBlock = shardBlockOf(answer, at, address, subject)
  const [block, state] = openProofPair(answer.proof, subject)
  const proven = provenBlock(block, shardBlock, subject)
  prove(
    state.hash(0).equals(newStateHash(proven.root, subject)),
    subject,
    'the state is not that of the shard block',
  )
  const found = proving(subject, () => findShardAccount(loadShardState(state.slice()), address.hash))
  const place = { masterchainBlock: at, shardBlock }
  if (!found) {
    prove(answer.state.length === 0, subject, 'the proof shows no such account')
    return place
  }
  prove(answer.state.length > 0, subject, 'the proof shows an account that the answer leaves out')
  return proving(subject, () => {
    const cell = parseRoot(answer.state)
    prove(cell.hash().equals(found.account.refHash(0, 0)), subject, 'the account is not the one in the proof')
    return { ...place, account: { cell, lastTransHash: found.lastTransHash, lastTransLt: found.lastTransLt } }
  })
}

function shardBlockOf(
  answer: AccountStateAnswer,
  at: BlockId,
  address: RawAddress,
  subject: string,
): BlockId {
  if (address.workchain === at.workchain) {
    prove(sameBlock(answer.shardblk, at), subject, 'another block than asked')
    return at
  }
  const { shardblk } = answer
  prove(shardblk.workchain === address.workchain, subject, 'shard block of another workchain')
  prove(
    shardContainsPrefix(shardblk.shard, address.hash.readBigUInt64BE(0)),
    subject,
    'shard block of another shard',
  )
  const [block, state] = openProofPair(answer.shardProof, subject)
  const proven = provenBlock(block, at, subject)
  prove(
    state.hash(0).equals(newStateHash(proven.root, subject)),
    subject,
    'the state is not that of the masterchain block',
  )
  const top = findShardTop(state, shardblk, subject)
  prove(
    top !== undefined && sameBlock(top, shardblk),
    subject,
    'the masterchain state names another shard block',
  )
  return shardblk
}
