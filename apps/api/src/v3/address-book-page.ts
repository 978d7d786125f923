import {
  type AddressBookEntry,
  type AddressBookQuery,
  addressBookRow,
  type Json,
  type MetadataQuery,
  parseAddress,
} from '@shardwalk/api-schema'
import type { RequestContext } from '../http/route.ts'
import { Listing } from './address-book-listing.ts'

const UNREADABLE = '{"user_friendly":null,"domain":null,"interfaces":[]}'

/** GET /addressBook: keyed by the texts that the client sent. */
export async function addressBook(
  { db, accounts, testOnly }: RequestContext,
  query: AddressBookQuery,
): Promise<Json> {
  const texts = [...new Set(query.address ?? [])].sort()
  const parsed = texts.map((text) => ({ text, address: parseAddress(text.replaceAll(' ', '+')) }))
  const addresses = parsed.flatMap(({ address }) => (address ? [address] : []))
  const ids = await accounts.idsOf(db, addresses)
  const directory = await accounts.load(db, ids, { states: true })
  const entries = new Map<string, AddressBookEntry>(
    ids.map((id) => [directory.get(id).raw, directory.entry(id)]),
  )
  const rows = parsed.map(({ text, address }) => {
    if (!address) return `${JSON.stringify(text)}:${UNREADABLE}`
    const raw = `${address.workchain}:${address.hash.toString('hex').toUpperCase()}`
    return `${JSON.stringify(text)}:${addressBookRow(entries.get(raw) ?? { address, codeHash: null }, testOnly)}`
  })
  return `{${rows.join(',')}}`
}

/** GET /metadata: keyed by raw addresses; what is no address is left out. */
export async function metadata(context: RequestContext, query: MetadataQuery): Promise<Json> {
  const addresses = (query.address ?? []).flatMap((text) => parseAddress(text.replaceAll(' ', '+')) ?? [])
  const ids = await context.accounts.idsOf(context.db, addresses)
  const listing = await new Listing(context).list(...ids).load({ metadata: true })
  return listing.metadata()
}
