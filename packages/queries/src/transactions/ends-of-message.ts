import { addressKey, type Db, findAccountIds } from '@shardwalk/db'
import type { RawAddress } from '@shardwalk/model'

/** An internal message as its sender created it. */
export interface InternalMessage {
  readonly source: RawAddress
  readonly destination: RawAddress
  readonly createdLt: bigint
}

/** Position of a transaction in the chain of its account. */
export interface EndOfMessage {
  readonly lt: bigint
  readonly hash: Buffer
}

/**
 * The transaction started by the message; undefined when it is not indexed. It is later than the message, so
 * that partitions are read from that of the message on. Index: transactions (in_msg_lt).
 */
export async function findResultOfMessage(
  db: Db,
  message: InternalMessage,
): Promise<EndOfMessage | undefined> {
  const ids = await accountIds(db, message)
  if (!ids) return undefined
  return db
    .selectFrom('transactions')
    .select(['lt', 'hash'])
    .where('in_msg_lt', '=', message.createdLt)
    .where('in_msg_account_id', '=', ids.source)
    .where('account_id', '=', ids.destination)
    .where('lt', '>', message.createdLt)
    .orderBy('lt')
    .limit(1)
    .executeTakeFirst()
}

/**
 * The sender's last transaction before the message was created. It is the one that sent the message if the
 * sender's history is indexed without gaps. Index: primary key.
 */
export async function findSourceOfMessage(
  db: Db,
  message: InternalMessage,
): Promise<EndOfMessage | undefined> {
  const ids = await accountIds(db, message)
  if (!ids) return undefined
  return db
    .selectFrom('transactions')
    .select(['lt', 'hash'])
    .where('account_id', '=', ids.source)
    .where('lt', '<', message.createdLt)
    .orderBy('lt', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function accountIds(db: Db, { source, destination }: InternalMessage) {
  const ids = await findAccountIds(db, [source, destination])
  const [from, to] = [ids.get(addressKey(source)), ids.get(addressKey(destination))]
  return from === undefined || to === undefined ? undefined : { source: from, destination: to }
}
