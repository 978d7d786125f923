import { opcode } from './declared.ts'

/** Domains of .ton. Source: TEP-81; ton-blockchain/dns-contract, func/nft-item.fc. */
export const DNS = {
  changeRecord: opcode('change_dns_record'),
  /** Puts a domain that nobody paid for up for auction. */
  balanceRelease: opcode('dns_balance_release'),
} as const
