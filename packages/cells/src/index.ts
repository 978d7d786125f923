export { formatFriendlyAddress, hasFriendlyForm, parseAddress } from './address-text.ts'
// Bags: parsed files in which a cell is a number.
export { Bag } from './bag.ts'
// In-memory cells.
export { Builder, MAX_CELL_BITS, sliceToCell } from './builder.ts'
export { Cell, EMPTY_CELL } from './cell.ts'
export { crc16 } from './crc16.ts'
export { crc32c } from './crc32c.ts'
// Dictionaries.
export {
  type Budget,
  budgetOf,
  type DictKey,
  forEachLeaf,
  loadDictRoot,
  lookup,
  spend,
  type VisitOptions,
} from './dictionary.ts'
export {
  type Augmentation,
  buildDict,
  buildDictWithExtra,
  dictDelete,
  dictSet,
} from './dictionary-builder.ts'
export { atPath, PrunedCellError } from './errors.ts'
export { CELL, MAX_DEPTH } from './levels.ts'
// Proofs and updates.
export { bagMerkleProof, createMerkleProof, openMerkleProof, prunedBranch } from './merkle-proof.ts'
export { applyMerkleUpdate, createMerkleUpdate } from './merkle-update.ts'
export { loadMsgAddress, loadStdAddress, type MsgAddress } from './msg-address.ts'
export { parseBoc, parseRoot } from './parse-boc.ts'
export { serializeBoc, serializeCanonical } from './serialize-boc.ts'
export { sha256 } from './sha256.ts'
export { Slice } from './slice.ts'
export { bagToBoc, refToBoc, remainderHash, remainderToBoc } from './slice-boc.ts'
export { loadSnake, type Snake, type SnakeOptions } from './snake.ts'
export { Usage } from './usage.ts'
