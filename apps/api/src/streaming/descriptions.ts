import { addressBookRow, type Json, parseAddress } from '@shardwalk/api-schema'
import type { RawAddress } from '@shardwalk/model'
import type { Descriptions } from '@shardwalk/streaming'
import type { RequestContext } from '../http/route.ts'
import type { ApiServices } from '../services.ts'
import { Listing } from '../v3/address-book-listing.ts'
import { streamContext } from './stream-context.ts'

/** Address book and metadata of accounts; undefined when the database cannot be read. */
export async function describe(
  services: ApiServices,
  addresses: readonly string[],
  metadata: boolean,
): Promise<Descriptions | undefined> {
  try {
    return await describeAddresses(await streamContext(services), addresses, metadata)
  } catch (error) {
    services.log.debug('events go without address book', { error })
    return undefined
  }
}

/** The same for a reply; addresses are in raw form, and may never have been seen. */
export async function describeAddresses(
  context: RequestContext,
  addresses: readonly string[],
  metadata: boolean,
): Promise<Descriptions> {
  const parsed = addresses.map((raw): RawAddress => parseAddress(raw)!)
  const ids = await context.accounts.idsOf(context.db, parsed)
  const listing = await new Listing(context).list(...ids).load({ metadata })
  const { testOnly } = context
  const book = new Map<string, Json>()
  for (const [index, address] of parsed.entries())
    book.set(addresses[index]!, addressBookRow({ address, codeHash: null }, testOnly))
  for (const id of ids) book.set(listing.text(id), addressBookRow(listing.directory.entry(id), testOnly))
  return { book, metadata: metadata ? entriesOf(listing.metadata()) : new Map() }
}

const entriesOf = (object: Json): ReadonlyMap<string, Json> =>
  new Map(Object.entries(JSON.parse(object) as object).map(([key, value]) => [key, JSON.stringify(value)]))
