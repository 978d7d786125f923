import { type Found, pathTo, readSearch } from '@shardwalk/pages'
import { HttpError } from '../http/errors.ts'
import type { ExplorerRequest } from './explorer-request.ts'

const ACCEPTED =
  'accepted: an address in any form, a hash (hex or base64), a seqno of the masterchain, a block as ' +
  '(workchain,shard,seqno), a domain, or a link that contains one of these'

/** Pages that the text leads to. Throws `HttpError` 404 or 422, which say how it was read. */
export async function search(asked: ExplorerRequest, text: string): Promise<readonly Found[]> {
  const read = readSearch(text, asked)
  switch (read.kind) {
    case 'account': {
      const path = pathTo.account(read.address, asked.testOnly)
      return [{ what: 'Account', path: read.isOfOtherNetwork ? `${path}?notice=network` : path }]
    }
    case 'block':
      return [{ what: 'Block', path: pathTo.block(read) }]
    case 'hash':
      return byHash(asked, read.hash)
    case 'domain':
      return byDomain(asked, read.domain)
    case 'nothing':
      throw new HttpError(422, text.trim() === '' ? `nothing to search for; ${ACCEPTED}` : ACCEPTED)
  }
}

async function byHash(asked: ExplorerRequest, hash: string): Promise<Found[]> {
  const found: Found[] = []
  const transactions = await asked.find('transactions', { hash, limit: 1 })
  if (transactions?.transactions[0]) found.push({ what: 'Transaction', path: pathTo.transaction(hash) })
  const messages = await asked.find('messages', { msg_hash: hash, limit: 1 })
  const message = messages?.messages[0]
  const end = message?.in_msg_tx_hash ?? message?.out_msg_tx_hash
  if (end) found.push({ what: 'Message, in its transaction', path: pathTo.transaction(end) })
  for (const parameter of ['root_hash', 'file_hash']) {
    const block = (await asked.find('blocks', { [parameter]: hash, limit: 1 }))?.blocks[0]
    if (block) found.push({ what: 'Block', path: pathTo.block(block) })
  }
  if (found.length > 0) return found
  throw new HttpError(404, `read as a hash: no transaction, trace, message or block ${hash} is indexed`)
}

async function byDomain(asked: ExplorerRequest, domain: string): Promise<Found[]> {
  const record = (await asked.find('dns/records', { domain, limit: 1 }))?.records[0]
  if (record?.dns_wallet)
    return [{ what: 'Wallet of the domain', path: pathTo.account(record.dns_wallet, asked.testOnly) }]
  if (record)
    return [{ what: 'Item of the domain', path: pathTo.account(record.nft_item_address, asked.testOnly) }]
  throw new HttpError(404, `read as a domain: no record of ${domain.slice(0, 100)} is indexed`)
}
