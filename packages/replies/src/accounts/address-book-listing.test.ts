import { type AccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { AccountFacts, AddressDirectory } from '@shardwalk/queries'
import { expect, test } from 'vitest'
import type { RenderContext } from '../render-context.ts'
import { Listing } from './address-book-listing.ts'

const addressOf = (byte: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, byte) })
const [SEEN, UNSEEN] = [addressOf(1), addressOf(2)]
const ID: AccountId = 7n
const code = Buffer.alloc(32, 9)

/** An index that knows one account. */
const directory: AddressDirectory = {
  get: () => ({ address: SEEN, raw: formatRawAddress(SEEN) }),
  entry: (): AccountFacts => ({ address: SEEN, codeHash: code, domain: 'seen.ton', interfaces: [] }),
}
const contextWith = (noAddressBook: boolean) =>
  ({
    accounts: {
      idsOf: async (_db: unknown, addresses: readonly RawAddress[]) =>
        addresses.some(({ hash }) => hash.equals(SEEN.hash)) ? [ID] : [],
      load: async () => directory,
    },
    settings: { noAddressBook, noMetadata: false },
    testOnly: false,
  }) as unknown as RenderContext

const bookOf = async (listing: Listing): Promise<Record<string, unknown>> =>
  JSON.parse((await listing.load({ metadata: false })).addressBook())

test('an address that was never seen has a row, and one that was seen has that of its account', async () => {
  const listing = await new Listing(contextWith(false)).listAddresses([UNSEEN, SEEN, UNSEEN])
  expect(await bookOf(listing)).toEqual({
    [formatRawAddress(SEEN)]: expect.objectContaining({ domain: 'seen.ton' }),
    [formatRawAddress(UNSEEN)]: {
      user_friendly: expect.stringMatching(/^UQ/),
      domain: null,
      interfaces: [],
    },
  })
})

test('a reply without address book has none for addresses either', async () => {
  const listing = await new Listing(contextWith(true)).listAddresses([UNSEEN])
  expect(await bookOf(listing)).toEqual({})
})
