/** Ethena: tsUSDe. Source: code of the jetton wallet of tsUSDe on mainnet. */
export const ETHENA = {
  /** An internal transfer that locks the amount it carries. */
  timelockTransfer: 0xb2583ed5,
} as const
