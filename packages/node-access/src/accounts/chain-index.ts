import { addressKey, type Db, findAccountIds, listTrustedKeyBlocks } from '@shardwalk/db'
import type { BlockId, RawAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import type { TransactionPlace } from './accounts.ts'

/** A message as its sender made it. */
export interface MessagePlace {
  readonly source: RawAddress
  readonly destination: RawAddress
  readonly createdLt: bigint
}

/**
 * Hints from the index, which save queries. There may be no index, or it is away, or it knows nothing: then
 * there is no hint.
 */
export class ChainIndex {
  constructor(
    private readonly db: Db | undefined,
    private readonly log: Logger,
  ) {}

  /** The newest key block that signatures were followed to. */
  newestTrustedKeyBlock(): Promise<BlockId | undefined> {
    return this.hint(async (db) => (await listTrustedKeyBlocks(db)).at(-1))
  }

  /** The transaction that the message started. Index: transactions (in_msg_lt). */
  resultOf(message: MessagePlace): Promise<TransactionPlace | undefined> {
    return this.withIds(message, (db, { source, destination }) =>
      db
        .selectFrom('transactions')
        .select(['lt', 'hash'])
        .where('in_msg_lt', '=', message.createdLt)
        .where('in_msg_account_id', '=', source)
        .where('account_id', '=', destination)
        .executeTakeFirst(),
    )
  }

  /**
   * The sender's last transaction before the message was made, which sent it if it is indexed. Index: primary
   * key.
   */
  sourceOf(message: MessagePlace): Promise<TransactionPlace | undefined> {
    return this.withIds(message, (db, { source }) =>
      db
        .selectFrom('transactions')
        .select(['lt', 'hash'])
        .where('account_id', '=', source)
        .where('lt', '<', message.createdLt)
        .orderBy('lt', 'desc')
        .limit(1)
        .executeTakeFirst(),
    )
  }

  private withIds<T>(
    { source, destination }: MessagePlace,
    read: (db: Db, ids: { readonly source: bigint; readonly destination: bigint }) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    return this.hint(async (db) => {
      const ids = await findAccountIds(db, [source, destination])
      const [from, to] = [ids.get(addressKey(source)), ids.get(addressKey(destination))]
      return from === undefined || to === undefined ? undefined : read(db, { source: from, destination: to })
    })
  }

  private async hint<T>(read: (db: Db) => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return this.db && (await read(this.db))
    } catch (error) {
      this.log.debug('index not asked', { error })
      return undefined
    }
  }
}
