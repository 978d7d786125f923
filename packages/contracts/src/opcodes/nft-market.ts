import { opcode } from './declared.ts'

/**
 * Sales and auctions of Getgems. Source: getgems-io/nft-contracts, packages/contracts/sources
 * (nft-fixprice-sale-v*.fc, nft-auction-v*); and messages that marketplaces send to those contracts.
 */
export const NFT_MARKET = {
  changePrice: opcode('sale_update_message'),
  cancelSale: 0x00000003,
  cancelAuction: 0x5616c572,
  finishAuction: 0x20c9eb18,
  stopAuction: 0xb95616b6,
} as const
