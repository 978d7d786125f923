export * from './accounts/index.ts'
export * from './address-book/index.ts'
export {
  type BlockFilter,
  type BlockRow,
  blocksOfShardState,
  findBatchExtent,
  findBlockExtent,
  findIndexedEnds,
  type IndexedEnds,
  listBlocks,
  ltRangeOfTime,
  WHOLE_WORKCHAIN,
} from './blocks/index.ts'
export { type DnsRecordFilter, listDnsRecords } from './dns/dns-records.ts'
export {
  type LtRange,
  ltRange,
  type Page,
  type PageRequest,
  type Sort,
  type SortedPageRequest,
  type TimeRange,
  WrongCursor,
} from './idiom/index.ts'
export * from './jettons/index.ts'
export {
  listMultisigOrders,
  listMultisigs,
  type MultisigFilter,
  type MultisigOrderFilter,
  ordersOfMultisigs,
} from './multisig/multisigs.ts'
export * from './nfts/index.ts'
export type { TokenEventRow, TokenEventWindow } from './tokens/token-events.ts'
export { listVestingContracts, type VestingFilter } from './vesting/vesting-contracts.ts'
