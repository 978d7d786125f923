export {
  type BlockBroadcast,
  isBlockBroadcast,
  isCompressed,
  type ReceivedBlock,
  readBlockBroadcast,
  readDataFull,
  type ShownProof,
  shownProof,
} from './received-block.ts'
