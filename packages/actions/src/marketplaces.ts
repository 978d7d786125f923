import { parseAddress } from '@shardwalk/cells'
import { TELEGRAM_DNS_ZONE } from '@shardwalk/contracts'
import { formatRawAddress } from '@shardwalk/model'
import type { Address } from './trace.ts'

/**
 * Names of marketplaces, by the address in their sales or by the collection that is traded there only.
 * Source: tonkeeper/ton-assets, accounts.json ("Getgems Marketplace", "Getgems Sales", "Disintar
 * Marketplace"); the collections: tonindexer/anton, known/telemint_nft_item.json.
 */
export const MARKETPLACES: ReadonlyMap<Address, string> = new Map([
  // EQCjk1hh952vWaE9bRguFkAhDAL5jj3xj9p0uPWrFBq_GEMS
  ['0:A3935861F79DAF59A13D6D182E1640210C02F98E3DF18FDA74B8F5AB141ABF18', 'getgems'],
  // EQBYTuYbLf8INxFtD8tQeNk5ZLy-nAX9ahQbG_yl1qQ-GEMS
  ['0:584EE61B2DFF0837116D0FCB5078D93964BCBE9C05FD6A141B1BFCA5D6A43E18', 'getgems'],
  // EQDrLq-X6jKZNHAScgghh0h1iog3StK71zn8dcmrOj8jPWRA
  ['0:EB2EAF97EA32993470127208218748758A88374AD2BBD739FC75C9AB3A3F233D', 'disintar'],
  // Telegram Usernames
  [formatRawAddress(TELEGRAM_DNS_ZONE.collection), 'fragment'],
  // Anonymous Telegram Numbers: EQAOQdwdw8kGftJCSFgOErM1mBjYPe4DBPq8-AhF6vr9si5N
  ['0:0E41DC1DC3C9067ED24248580E12B3359818D83DEE0304FABCF80845EAFAFDB2', 'fragment'],
])

/**
 * The names above with those of a JSON object of names by address, in any form: they add to them and replace
 * them; an empty name removes one. Throws `SyntaxError` and `TypeError` that say which entry is wrong.
 */
export function readMarketplaces(json: string): ReadonlyMap<Address, string> {
  const names = new Map(MARKETPLACES)
  for (const [text, name] of Object.entries(parseObject(json))) {
    const address = parseAddress(text)
    if (!address) throw new TypeError(`${JSON.stringify(text)} is not an address`)
    if (typeof name !== 'string') throw new TypeError(`the name of ${text} is not a text`)
    if (name === '') names.delete(formatRawAddress(address))
    else names.set(formatRawAddress(address), name)
  }
  return names
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('not a JSON object of names by address')
  return value as Readonly<Record<string, unknown>>
}
