export { listNftCollections } from './nft-collections.ts'
export { listNftItems, type NftItemFilter, type NftItemPage } from './nft-items.ts'
export { salesOfAccounts } from './nft-sales.ts'
export { listNftTransfers } from './nft-transfers.ts'
