export { deleteConflicts, insertConflict, listConflicts, type ProofConflict } from './conflicts.ts'
export { addLinkedRange, findLinkedRange, forgetLinks, type LinkedRange } from './linked-ranges.ts'
export {
  findMasterchainIds,
  findProvedBlock,
  findProvedRange,
  listTrustedKeyBlocks,
  type ProvedRange,
  rememberKeyBlocks,
  saveProvedBlock,
} from './trusted-blocks.ts'
