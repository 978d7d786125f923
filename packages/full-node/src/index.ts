export {
  type BlockBroadcast,
  isBlockBroadcast,
  isCompressed,
  type ReceivedBlock,
  readBlockBroadcast,
  readDataFull,
  shownProof,
} from './received-block.ts'
