import { opcode } from './declared.ts'

/**
 * Fungible tokens. Source: TEP-74; minting: ton-blockchain/token-contract, ft/jetton-minter.fc, and
 * ton-blockchain/ stablecoin-contract, contracts/op-codes.fc.
 */
export const JETTON = {
  /** Owner to own jetton wallet. */
  transfer: opcode('jetton_transfer'),
  /** Jetton wallet, or minter, to jetton wallet. */
  internalTransfer: opcode('jetton_internal_transfer'),
  /** Jetton wallet to its owner. */
  transferNotification: opcode('jetton_notify'),
  burn: opcode('jetton_burn'),
  burnNotification: opcode('jetton_burn_notification'),
  /** What is left of the TON that was sent along; NFT items and many others send it too. */
  excesses: opcode('excess'),
  mint: opcode('jetton_mint'),
  /**
   * Of minters made by minter.ton.org. Source: ton-blockchain/minter-contract,
   * contracts/jetton-minter-discoverable.fc.
   */
  minterMint: opcode('minter_jetton_mint'),
  topUp: 0x00009fd3,
  changeAdmin: opcode('jetton_change_admin'),
  claimAdmin: 0xfb88e119,
  changeMetadata: 0xcb862902,
  callTo: 0x235caf52,
  setStatus: opcode('jetton_set_status'),
} as const

/** Asking a minter for the address of a wallet. Source: TEP-89. */
export const JETTON_DISCOVERY = {
  provideWalletAddress: 0x2c76b973,
  takeWalletAddress: 0xd1735400,
} as const

/** Non-fungible tokens. Source: TEP-62. */
export const NFT = {
  transfer: opcode('nft_transfer'),
  ownershipAssigned: opcode('nft_ownership_assigned'),
  getStaticData: opcode('get_static_data'),
  reportStaticData: opcode('report_static_data'),
} as const
