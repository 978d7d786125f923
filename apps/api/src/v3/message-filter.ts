import type { MessagesQuery } from '@shardwalk/api-schema'
import { type RawAddress, SYSTEM_ADDRESS, sameAddress } from '@shardwalk/model'
import type { AccountFilter, MessageFilter } from '@shardwalk/queries'
import type { RequestContext } from '../http/route.ts'

type MessageQuery = Pick<MessagesQuery, 'msg_hash' | 'body_hash' | 'source' | 'destination' | 'opcode'>

/** The part of a query that describes a message, with addresses replaced by ids. */
export async function messageFilter(context: RequestContext, query: MessageQuery): Promise<MessageFilter> {
  const [source, destination] = await Promise.all([
    accountFilter(context, query.source),
    accountFilter(context, query.destination),
  ])
  return {
    hashes: query.msg_hash,
    bodyHash: query.body_hash,
    source,
    sourceIsSystem: query.source ? sameAddress(query.source, SYSTEM_ADDRESS) : false,
    destination,
    opcode: query.opcode,
  }
}

async function accountFilter(
  { accounts, db }: RequestContext,
  address: RawAddress | null | undefined,
): Promise<AccountFilter | undefined> {
  if (address === null || address === undefined) return address
  return (await accounts.idOf(db, address)) ?? 'unknown'
}
