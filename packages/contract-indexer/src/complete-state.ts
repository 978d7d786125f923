import { KnownCells } from '@shardwalk/blocks'
import { type Cell, serializeBoc } from '@shardwalk/cells'
import {
  type Db,
  loadCodes,
  loadFormerCodes,
  loadReceivedCells,
  loadTrees,
  type StatePart,
  type StoredContract,
} from '@shardwalk/db'

/**
 * Code and data as far as they are stored; `part`: the incomplete ones, a bag with a root for each,
 * and what they were made of;
 * `lacking`: hash of a cell without which they stay incomplete.
 */
export interface LocalState {
  readonly code: Buffer | null
  readonly data: Buffer | null
  readonly part?: StatePart
  readonly lacking?: Buffer
}

/**
 * Puts a state together from what is stored. A block leaves out cells that were there before it. They are
 * looked for in the account's earlier data and codes, in messages that it received since, and in the code of
 * other accounts.
 */
export async function completeState(db: Db, state: StoredContract): Promise<LocalState> {
  const cells = new KnownCells()
  const trees = await loadTrees(db, state.accountId)
  for (const { boc } of trees) cells.add(boc)
  if (state.code) cells.add(state.code)
  const [id, upTo] = [state.accountId, state.lt]
  // The message that brought a new code may have brought complete data as well.
  const after = state.code ? newestWhole(trees, upTo) : -1n
  const sources = [
    () => loadCodes(db, cells.missing),
    ...(state.code ? [] : [() => loadFormerCodes(db, { id, upTo })]),
    () => loadReceivedCells(db, { id, after, upTo }),
    () => loadCodes(db, cells.missing),
  ]
  let data = find(cells, state.dataHash)
  let code = state.code ? undefined : find(cells, state.codeHash)
  for (const load of sources) {
    if (isWhole(data, state.dataHash) && (state.code || isWhole(code, state.codeHash))) break
    for (const boc of await load()) cells.add(boc)
    code = state.code ? undefined : find(cells, state.codeHash)
    data = find(cells, state.dataHash)
  }
  const whole = (tree: Cell | undefined, stored: Buffer | null) =>
    stored ?? (tree?.levelMask === 0 ? serializeBoc(tree) : null)
  const incomplete = [code, data].filter((tree) => tree !== undefined && tree.levelMask !== 0) as Cell[]
  const lacking =
    (state.code ? undefined : lackingOf(cells, state.codeHash)) ??
    (state.data ? undefined : lackingOf(cells, state.dataHash))
  return {
    code: whole(code, state.code),
    data: whole(data, state.data),
    ...(lacking && { lacking }),
    ...(incomplete.length > 0 && {
      part: { boc: serializeBoc(incomplete), of: trees.filter((tree) => !tree.isWhole) },
    }),
  }
}

const find = (cells: KnownCells, hash: Buffer | null): Cell | undefined =>
  hash ? cells.tree(hash) : undefined

function lackingOf(cells: KnownCells, hash: Buffer | null): Buffer | undefined {
  const tree = find(cells, hash)
  return hash && tree?.levelMask !== 0 ? cells.missing[0] : undefined
}

const isWhole = (tree: Cell | undefined, hash: Buffer | null): boolean =>
  hash === null || tree?.levelMask === 0

/** lt of the newest complete tree: messages up to there are in it already. */
const newestWhole = (trees: Awaited<ReturnType<typeof loadTrees>>, before: bigint): bigint =>
  trees.reduce((lt, tree) => (tree.isWhole && tree.lt <= before && tree.lt > lt ? tree.lt : lt), -1n)
