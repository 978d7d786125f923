import { type Cell, lookup, type Slice, serializeBoc } from '@shardwalk/cells'
import { LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readState, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'

/**
 * Maximum number of hashes used per query; others are ignored. Source: node, liteserver.cpp,
 * perform_getLibraries.
 */
const MAX_LIBRARIES = 16

/**
 * Public libraries at the head; unknown hashes are left out. Source: lite_api.tl, `liteServer.getLibraries`.
 */
export async function getLibraries(
  chain: ReplayChain,
  { libraryList }: LiteArguments['liteServer.getLibraries'],
): Promise<LiteResults['liteServer.getLibraries']> {
  const reader = new ProofReader(await chain.state(chain.head.id))
  const found = findLibraries(reader, libraryList)
  return { result: found.map(({ hash, library }) => ({ hash, data: serializeBoc(library) })) }
}

/**
 * The same at a given masterchain block, with proofs. Source: lite_api.tl,
 * `liteServer.getLibrariesWithProof`.
 */
export async function getLibrariesWithProof(
  chain: ReplayChain,
  { id, mode, libraryList }: LiteArguments['liteServer.getLibrariesWithProof'],
): Promise<LiteResults['liteServer.getLibrariesWithProof']> {
  checkBlockId(id)
  const block = chain.reference(id)
  const reader = new ProofReader(await chain.state(block.id))
  const found = findLibraries(reader, libraryList)
  if (mode & LITE_MODE.libraries.publishers)
    for (const { publishers } of found) for (const cell of publishers) reader.visitTree(cell)
  const dataOf = (library: Cell) =>
    mode & LITE_MODE.libraries.noData ? Buffer.alloc(0) : serializeBoc(library)
  return {
    id: block.id,
    mode,
    result: found.map(({ hash, library }) => ({ hash, data: dataOf(library) })),
    stateProof: serializeBoc(stateRootProof(await chain.tree(block))),
    dataProof: reader.boc(),
  }
}

interface Library {
  readonly hash: Buffer
  readonly library: Cell
  /** Cells of the publishers' dictionary besides the leaf itself. */
  readonly publishers: readonly Cell[]
}

/** The existing libraries, sorted and without duplicates. */
function findLibraries(reader: ProofReader, hashes: readonly Buffer[]): Library[] {
  const libraries = libraryDict(reader)
  if (!libraries) return []
  const wanted = hashes.slice(0, MAX_LIBRARIES).sort(Buffer.compare)
  return wanted.flatMap((hash, i) => {
    if (i > 0 && wanted[i - 1]!.equals(hash)) return []
    const found = lookup(reader.open(libraries), 256, hash)
    return found ? [loadLibrary(hash, found)] : []
  })
}

/** Source: block.tlb `shared_lib_descr$00 lib:^Cell publishers:(Hashmap 256 True)`. */
function loadLibrary(hash: Buffer, descr: Slice): Library {
  const library = descr.loadRefCell()
  const publishers: Cell[] = []
  while (descr.remainingRefs > 0) publishers.push(descr.loadRefCell())
  return { hash, library, publishers }
}

/**
 * Source: block.tlb `ShardStateUnsplit`, the last inline cell: `^[ overload_history ... libraries master_ref
 * ]`.
 */
function libraryDict(reader: ProofReader): Cell | undefined {
  const rest = reader.open(readState(reader).rest).skip(128)
  for (let i = 0; i < 2; i++) {
    rest.loadCoins()
    rest.loadMaybeRefCell()
  }
  return rest.loadMaybeRefCell()
}
