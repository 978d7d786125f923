/** Standard address: workchain (int8) and the 256-bit account id. block.tlb `addr_std`. */
export interface RawAddress {
  readonly workchain: number
  /** 32 bytes. */
  readonly hash: Buffer
}

/** Compact number of an account, a signed 64-bit integer: the primary key of `accounts` and what every table refers to. */
export type AccountId = bigint

/** Source: the masterchain zero address is the sender of minted and recovered money. */
export const SYSTEM_ADDRESS: RawAddress = { workchain: -1, hash: Buffer.alloc(32) }

/**
 * The id an address gets unless another account already holds it: workchain bit, then the top 63 address bits. No
 * database is asked, every process derives the same number whatever it saw before, and ids sort as addresses do
 * (workchain, then bytes), masterchain first because its ids are negative. Two addresses may share 63 bits (someone may
 * grind such a pair); the table `accounts` then gives the second one the next free number.
 * Workchains other than -1 and 0 do not exist on TON today; they share the range of their sign.
 */
export function deriveAccountId(address: RawAddress): AccountId {
  const top = address.hash.readBigUInt64BE(0) >> 1n
  return address.workchain < 0 ? top - 0x8000000000000000n : top
}

/** `<workchain>:<64 upper-case hex>`. */
export const formatRawAddress = (a: RawAddress): string =>
  `${a.workchain}:${a.hash.toString('hex').toUpperCase()}`

export const sameAddress = (a: RawAddress, b: RawAddress): boolean =>
  a.workchain === b.workchain && a.hash.equals(b.hash)
