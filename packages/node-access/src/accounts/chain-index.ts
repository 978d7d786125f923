import { withDeadline } from '@shardwalk/concurrency'
import { type Db, listTrustedKeyBlocks } from '@shardwalk/db'
import type { BlockId, RawAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { findResultOfMessage, findSourceOfMessage, type InternalMessage } from '@shardwalk/queries'
import type { TransactionPlace } from './accounts.ts'
import { type IndexedAccount, readIndexedAccount } from './indexed-account.ts'

/** Lite servers answer within this; a database that takes longer is busy. Milliseconds. */
const ACCOUNT_MS = 250

/**
 * Hints from the database that save queries. Undefined when there is no database, it is unavailable, or it
 * has no answer.
 */
export class ChainIndex {
  constructor(
    private readonly db: Db | undefined,
    private readonly log: Logger,
  ) {}

  /** The newest key block up to which validator signatures were followed. */
  newestTrustedKeyBlock(): Promise<BlockId | undefined> {
    return this.hint(async (db) => (await listTrustedKeyBlocks(db)).at(-1))
  }

  /** The transaction that the message started. */
  resultOf(message: InternalMessage): Promise<TransactionPlace | undefined> {
    return this.hint((db) => findResultOfMessage(db, message))
  }

  /** A transaction that may have sent the message. */
  sourceOf(message: InternalMessage): Promise<TransactionPlace | undefined> {
    return this.hint((db) => findSourceOfMessage(db, message))
  }

  /** The account's cell after a masterchain block, if everything of it is indexed. */
  account(mcBlock: BlockId, address: RawAddress): Promise<IndexedAccount | undefined> {
    return this.hint((db) => withDeadline(readIndexedAccount(db, mcBlock, address), ACCOUNT_MS, late))
  }

  private async hint<T>(read: (db: Db) => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return this.db && (await read(this.db))
    } catch (error) {
      this.log.debug('index query failed', { error })
      return undefined
    }
  }
}

const late = (): Error => new Error(`no account from the index within ${ACCOUNT_MS} ms`)
