import { type AccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { AddressDirectory, KnownAddress } from '@shardwalk/queries'

/**
 * Numbers for the accounts of one reply, in the place of ids: what is emulated may touch accounts that the
 * index has never seen.
 */
export class AccountNumbers implements AddressDirectory {
  private readonly numbers = new Map<string, AccountId>()
  private readonly known: KnownAddress[] = []

  idOf(address: RawAddress): AccountId {
    const raw = formatRawAddress(address)
    const number = this.numbers.get(raw)
    if (number !== undefined) return number
    const next = BigInt(this.known.push({ address, raw }) - 1)
    this.numbers.set(raw, next)
    return next
  }

  get(id: AccountId): KnownAddress {
    return this.known[Number(id)]!
  }

  entry(id: AccountId) {
    return { address: this.get(id).address, codeHash: null }
  }

  /** All that were numbered. */
  addresses(): readonly RawAddress[] {
    return this.known.map(({ address }) => address)
  }
}
