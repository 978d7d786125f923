export { deleteConflicts, insertConflict, listConflicts } from './conflicts.ts'
export { addLinkedRange, findLinkedRange, forgetLinks, type LinkedRange } from './linked-ranges.ts'
export {
  findMasterchainIds,
  findProvedBlock,
  findProvedRange,
  listTrustedKeyBlocks,
  rememberKeyBlocks,
  saveProvedBlock,
} from './trusted-blocks.ts'
