import { opcode } from './declared.ts'

/** Domains of .ton. Source: TEP-81; ton-blockchain/dns-contract, func/nft-item.fc. */
export const DNS = {
  changeRecord: opcode('change_dns_record'),
  /** Starts an auction for a domain whose owner has not paid for a year. */
  balanceRelease: opcode('dns_balance_release'),
} as const
