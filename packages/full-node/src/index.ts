export {
  type BlockBroadcast,
  isBlockBroadcast,
  isCompressed,
  type ReceivedBlock,
  readBlockBroadcast,
  readDataFull,
  shownProof,
  toContainer,
} from './received-block.ts'
