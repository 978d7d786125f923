import { addressBookRow, type Json, parseAddress } from '@shardwalk/api-schema'
import type { RawAddress } from '@shardwalk/model'
import type { Descriptions } from '@shardwalk/streaming'
import type { RenderContext } from '../render-context.ts'
import { Listing } from './address-book-listing.ts'

/** Address book and metadata of accounts. Addresses are in raw form, and may never have been seen. */
export async function describeAddresses(
  context: RenderContext,
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
