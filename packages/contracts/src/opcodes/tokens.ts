import { opcode } from './declared.ts'

/**
 * Fungible tokens. Source: TEP-74; minting: ton-blockchain/token-contract, ft/jetton-minter.fc, and
 * ton-blockchain/stablecoin-contract, contracts/op-codes.fc.
 */
export const JETTON = {
  /** Sent by the owner to their jetton wallet. */
  transfer: opcode('jetton_transfer'),
  /** Sent by a jetton wallet, or the minter, to a jetton wallet. */
  internalTransfer: opcode('jetton_internal_transfer'),
  /** Sent by a jetton wallet to its owner. */
  transferNotification: opcode('jetton_notify'),
  burn: opcode('jetton_burn'),
  burnNotification: opcode('jetton_burn_notification'),
  /** Returns the unspent TON; NFT items and many other contracts send it too. */
  excesses: opcode('excess'),
  mint: opcode('jetton_mint'),
  /**
   * Mint order of minters deployed by minter.ton.org. Source: ton-blockchain/minter-contract,
   * contracts/jetton-minter-discoverable.fc.
   */
  minterMint: opcode('minter_jetton_mint'),
  /** Of hTON: sent to the wallet whose balance it increases. Source: HipoFinance/contract. */
  hipoTokensMinted: opcode('hipo_finance_tokens_minted'),
  topUp: 0x00009fd3,
  changeAdmin: opcode('jetton_change_admin'),
  claimAdmin: 0xfb88e119,
  changeMetadata: 0xcb862902,
  callTo: 0x235caf52,
  setStatus: opcode('jetton_set_status'),
} as const

/** Requests the address of a wallet from a minter. Source: TEP-89. */
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
