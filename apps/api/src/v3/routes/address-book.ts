import {
  type AddressBookEntry,
  AddressBookQuery,
  contractReplies,
  MetadataQuery,
  readAddress,
  toNamedAddressBook,
} from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { Listing } from '@shardwalk/replies'
import { objectRoute, type Route } from '../../http/route.ts'
import { FAILS } from './fails.ts'

const getAddressBook = objectRoute({
  path: '/api/v3/addressBook',
  tag: 'Accounts',
  summary: 'Address book rows',
  description:
    'Keyed by the addresses as spelled in the request. The fields of a text that is no address are null.',
  query: AddressBookQuery,
  reply: () => contractReplies.AddressBook,
  fails: FAILS,
  async handle({ db, accounts, testOnly }, query) {
    const texts = [...new Set(query.address ?? [])].sort()
    const named = texts.map((text) => ({ text, address: readAddress(text) }))
    const ids = await accounts.idsOf(
      db,
      named.flatMap(({ address }) => address ?? []),
    )
    const directory = await accounts.load(db, ids, { states: true })
    const known = new Map(ids.map((id) => [directory.get(id).raw, directory.entry(id)]))
    const entries = named.map(({ text, address }): [string, AddressBookEntry | undefined] => [
      text,
      address && (known.get(formatRawAddress(address)) ?? { address, codeHash: null }),
    ])
    return toNamedAddressBook(entries, testOnly)
  },
})

const getMetadata = objectRoute({
  path: '/api/v3/metadata',
  tag: 'Accounts',
  summary: 'Token metadata of addresses',
  description: 'Keyed by raw addresses. Addresses without token data are left out.',
  query: MetadataQuery,
  reply: () => contractReplies.Metadata,
  fails: FAILS,
  async handle(context, query) {
    const addresses = (query.address ?? []).flatMap((text) => readAddress(text) ?? [])
    const ids = await context.accounts.idsOf(context.db, addresses)
    // A client that wants none in other replies still asks for this one.
    const settings = { ...context.settings, noMetadata: false }
    const listing = await new Listing({ ...context, settings }).list(...ids).load({ metadata: true })
    return listing.metadata()
  },
})

export const ADDRESS_BOOK_ROUTES: readonly Route[] = [getAddressBook, getMetadata]
