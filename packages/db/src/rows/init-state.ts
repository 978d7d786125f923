import {
  type Bag,
  Builder,
  bagToBoc,
  Cell,
  EMPTY_CELL,
  parseBoc,
  parseRoot,
  serializeBoc,
} from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'

/**
 * Most deployments carry a code that is already stored: 85 of 100 bytes of state-inits in the recorded chain.
 * A stored state-init therefore has an empty cell in place of a large code, and the code is in the table
 * `codes`.
 */
export interface StoredInitState {
  /** Bag of cells. */
  readonly initState: Buffer
  /** Undefined when nothing was taken out. */
  readonly code?: { readonly hash: Buffer; readonly boc: Buffer }
}

/**
 * Smaller code (as a bag) stays, because its hash takes 33 bytes itself. A library reference as code has 46
 * bytes.
 */
const LEAST_CODE_BYTES = 100

/**
 * Takes the code out of a state-init. Source: block.tlb `_ fixed_prefix_length special code:(Maybe ^Cell)
 * data library = StateInit`.
 */
export function splitInitState(boc: Buffer): StoredInitState {
  if (boc.length < LEAST_CODE_BYTES) return { initState: boc }
  const bag = parseBoc(boc)
  if (!hasCode(bag)) return { initState: boc }
  const [code, ...others] = referencesOf(bag)
  if (code === undefined || bag.levelMask(code) !== 0) return { initState: boc }
  const codeBoc = bagToBoc(bag, code)
  if (codeBoc.length < LEAST_CODE_BYTES) return { initState: boc }
  const root = bag.slice(bag.root)
  const stored = new Builder().storeBits(root.loadBits(root.remainingBits)).storeRef(EMPTY_CELL)
  for (const other of others) stored.storeRef(bag.cell(other))
  return { initState: serializeBoc(stored.endCell()), code: { hash: bag.hash(code), boc: codeBoc } }
}

/** The inverse of `splitInitState`: the complete state-init as a bag of cells. Throws `DecodeError`. */
export const joinInitState = (initState: Buffer, codeBoc: Buffer): Buffer =>
  serializeBoc(withFirstReference(parseRoot(initState), parseRoot(codeBoc)))

/**
 * The code, if any, is the first reference. Cells that are not a valid state-init, which anyone may send,
 * stay unchanged.
 */
function hasCode(bag: Bag): boolean {
  try {
    const slice = bag.slice(bag.root)
    if (slice.loadBit()) slice.skip(5)
    if (slice.loadBit()) slice.skip(2)
    return slice.loadBit()
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

const referencesOf = (bag: Bag): number[] =>
  Array.from({ length: bag.refCount(bag.root) }, (_, i) => bag.ref(bag.root, i))

const withFirstReference = (root: Cell, first: Cell): Cell =>
  Cell.of(false, root.data, root.bits, [first, ...root.refs.slice(1)])
