import type { Flavoured, Workchain } from './flavour.ts'

/** Standard address: workchain (int8) and 256-bit account id. Source: block.tlb `addr_std`. */
export interface RawAddress {
  readonly workchain: Workchain
  /** 32 bytes. */
  readonly hash: Buffer
}

/** Signed 64-bit number of an account: the primary key of `accounts`, which other tables refer to. */
export type AccountId = Flavoured<bigint, 'AccountId'>

/** The masterchain zero address: sender of minted and recovered money. */
export const SYSTEM_ADDRESS: RawAddress = { workchain: -1, hash: Buffer.alloc(32) }

/** Hash of the state of an account that does not exist. Source: block.tlb `account_none$0`. */
export const NO_ACCOUNT_HASH: Buffer = Buffer.from(
  '90aec8965afabb16ebc3cb9b408ebae71b618d78788bc80d09843593cac98da4',
  'hex',
)

/** What the first transaction of an account names as the one before it. */
export const NO_TRANSACTION_HASH: Buffer = Buffer.alloc(32)

/**
 * Preferred id of an address: workchain sign, then the top 63 address bits. It needs no database access, is
 * the same in every process, and sorts as addresses do (workchain, then bytes; masterchain ids are negative).
 * If two addresses share 63 bits, which an attacker can arrange, the table `accounts` assigns the next free
 * number to the second. Workchains other than -1 and 0, of private networks, share the range of their sign.
 */
export function deriveAccountId(address: RawAddress): AccountId {
  const top = address.hash.readBigUInt64BE(0) >> 1n
  return address.workchain < 0 ? top - 0x8000000000000000n : top
}

/** Raw form: `<workchain>:<64 upper-case hex digits>`. */
export const formatRawAddress = (a: RawAddress): string =>
  `${a.workchain}:${a.hash.toString('hex').toUpperCase()}`

/** Whether two addresses name one account. */
export const sameAddress = (a: RawAddress, b: RawAddress): boolean =>
  a.workchain === b.workchain && a.hash.equals(b.hash)
