import { type Cell, EMPTY_CELL } from '@shardwalk/cells'
import type { BlockId, RawAddress } from '@shardwalk/model'
import { type AccountSnapshot, Accounts } from '@shardwalk/node-access'
import { activeAccount } from './account.ts'

/** The accounts of the chain, all with the same other code and no data. */
export class AccountsWithCode extends Accounts {
  code: Cell = EMPTY_CELL

  override async at(mcBlock: BlockId, address: RawAddress): Promise<AccountSnapshot> {
    const snapshot = await super.at(mcBlock, address)
    const [code, data] = [this.code, EMPTY_CELL]
    const cell = activeAccount({ ...snapshot, code, data, lastPaid: snapshot.utime })
    return { ...snapshot, cell, code, data }
  }
}
