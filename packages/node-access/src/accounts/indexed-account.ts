import { type Cell, parseRoot } from '@shardwalk/cells'
import type { Db } from '@shardwalk/db'
import { ACCOUNT_STATUS, type BlockId, deriveAccountId, type RawAddress } from '@shardwalk/model'
import { findWholeState } from '@shardwalk/queries'
import { rebuildAccount } from '@shardwalk/tlb'

/** An account that exists, as of a masterchain block. */
export interface IndexedAccount {
  /** `Account`. */
  readonly cell: Cell
  readonly lastTransLt: bigint
  readonly lastTransHash: Buffer
}

/**
 * Builds the cell of an account from the index. Undefined if the index lacks a part of it, or if what was
 * built does not have the hash that the block proves.
 */
export async function readIndexedAccount(
  db: Db,
  mcBlock: BlockId,
  address: RawAddress,
): Promise<IndexedAccount | undefined> {
  const row = await findWholeState(db, deriveAccountId(address), mcBlock)
  const status = row && ACCOUNT_STATUS[row.status]
  if (!status || status === 'nonexist' || row.extra_currencies !== null) return undefined
  const cell = rebuildAccount({
    address,
    status,
    lastPaid: row.timestamp,
    // The messages of the last transaction follow it.
    storageLt: row.lt + BigInt(row.out_msg_count) + 1n,
    balance: row.balance,
    frozenHash: row.frozen_hash ?? undefined,
    code: row.code ? parseRoot(row.code) : undefined,
    data: row.data ? parseRoot(row.data) : undefined,
  })
  if (!cell.hash().equals(row.state_hash)) return undefined
  return { cell, lastTransLt: row.lt, lastTransHash: row.last_trans_hash }
}
