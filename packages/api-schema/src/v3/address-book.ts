import { formatFriendlyAddress } from '@shardwalk/cells'
import { isNonBounceableWallet } from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { Json } from './text.ts'

/** What the address book says about an account. */
export interface AddressBookEntry {
  readonly address: RawAddress
  /** Code hash of the latest state; null without code or if never seen. */
  readonly codeHash: Buffer | null
  /** Shortest domain that the account owns and whose wallet record is the account. */
  readonly domain?: string | null
  readonly interfaces?: readonly string[]
}

/** `address_book` of API v3: rows by raw address, with sorted keys. */
export function toAddressBook(entries: Iterable<AddressBookEntry>, testOnly: boolean): Json {
  const rows = [...entries].map(
    (entry) => [formatRawAddress(entry.address), addressBookRow(entry, testOnly)] as const,
  )
  rows.sort((a, b) => (a[0] < b[0] ? -1 : 1))
  return `{${rows.map(([key, row]) => `"${key}":${row}`).join(',')}}`
}

/** Bounceable if the account has code other than that of a plain wallet. */
function userFriendly({ address, codeHash }: AddressBookEntry, testOnly: boolean): string {
  return formatFriendlyAddress(address, {
    bounceable: codeHash !== null && !isNonBounceableWallet(codeHash),
    testOnly,
  })
}

/** One value of an address book. `testOnly`: the form that testnet wallets accept. */
export const addressBookRow = (entry: AddressBookEntry, testOnly: boolean): Json =>
  `{"user_friendly":"${userFriendly(entry, testOnly)}","domain":${JSON.stringify(entry.domain ?? null)}` +
  `,"interfaces":${JSON.stringify(entry.interfaces ?? [])}}`

/**
 * Reply of /addressBook: a row per text, in order; a text that is not an address has a row without values.
 */
export function toNamedAddressBook(
  entries: Iterable<readonly [text: string, entry: AddressBookEntry | undefined]>,
  testOnly: boolean,
): Json {
  const rows = [...entries].map(
    ([text, entry]) => `${JSON.stringify(text)}:${entry ? addressBookRow(entry, testOnly) : NO_ADDRESS}`,
  )
  return `{${rows.join(',')}}`
}

const NO_ADDRESS: Json = '{"user_friendly":null,"domain":null,"interfaces":[]}'
