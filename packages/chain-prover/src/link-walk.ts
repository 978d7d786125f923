import { addLinkedRange, type Db, findLinkedRange, findMasterchainIds, type LinkedRange } from '@shardwalk/db'
import { type BlockId, formatBlockId, sameBlock } from '@shardwalk/model'
import {
  type BlockSource,
  type DecodedBatch,
  readSkeleton,
  type SeqnoRange,
  seqnosOf,
} from '@shardwalk/pipeline'
import { ChainConflict } from './errors.ts'

export interface LinkWalkOptions {
  readonly db: Db
  readonly source: Pick<BlockSource, 'getBlock'>
  /** Proves a stored block by signatures, for the one before an undecodable block. */
  readonly prove: (id: BlockId, signal: AbortSignal) => Promise<unknown>
}

/** Blocks of one commit, whose references the fetching walk compared. */
export interface CommittedLinks extends LinkedRange {
  readonly ids: readonly BlockId[]
}

/** Masterchain blocks fetched concurrently where the indexing walk left no links. */
const FETCHED_TOGETHER = 16

/** The links of a commit; an undecodable block interrupts them. */
export function linksOf(batches: readonly DecodedBatch[]): CommittedLinks[] {
  const links: { from: number; to: number; prev: BlockId; ids: BlockId[] }[] = []
  let open = false
  for (const { raw, encoded } of batches) {
    const { id } = raw.masterchain
    const last = links.at(-1)
    if (open && encoded && last) {
      last.to = id.seqno
      last.ids.push(id)
      continue
    }
    const prev = encoded === undefined ? undefined : readSkeleton(raw.masterchain)?.prev[0]
    open = prev !== undefined
    if (prev) links.push({ from: id.seqno, to: id.seqno, prev, ids: [id] })
  }
  return links
}

/** Stores the links compared by the indexing walk, if the table has those very blocks. */
export async function recordLinks(db: Db, { ids, ...range }: CommittedLinks): Promise<void> {
  const stored = await findMasterchainIds(
    db,
    ids.map(({ seqno }) => seqno),
  )
  const isStored = (id: BlockId) => {
    const found = stored.get(id.seqno)
    return found !== undefined && sameBlock(found, id)
  }
  if (ids.every(isStored)) await addLinkedRange(db, range)
}

/**
 * Follows references from a proven block down through the indexed chain, fetching about `maxBlocks` at most.
 * Returns the range that this proves. Throws `ChainConflict` when a stored block differs from the reference.
 */
export async function walkLinks(
  proven: BlockId,
  indexed: SeqnoRange,
  { maxBlocks, signal }: { readonly maxBlocks: number; readonly signal: AbortSignal },
  options: LinkWalkOptions,
): Promise<SeqnoRange> {
  const { db } = options
  let range = await findLinkedRange(db, proven.seqno)
  if (!range) {
    await addLinkedRange(db, {
      from: proven.seqno,
      to: proven.seqno,
      prev: await previousOf(proven, signal, options),
    })
    range = await findLinkedRange(db, proven.seqno)
  }
  for (let fetched = 0; range && range.from > indexed.from && fetched < maxBlocks; ) {
    signal.throwIfAborted()
    fetched += await extend(range, indexed, signal, options)
    range = await findLinkedRange(db, proven.seqno)
  }
  return { from: range?.from ?? proven.seqno, to: proven.seqno }
}

/** Adds blocks below a linked range; returns how many were fetched. */
async function extend(
  range: LinkedRange,
  indexed: SeqnoRange,
  signal: AbortSignal,
  options: LinkWalkOptions,
): Promise<number> {
  const { db } = options
  const top = range.from - 1
  const known = await findLinkedRange(db, top)
  const bottom = known ? top : Math.max(indexed.from, top - FETCHED_TOGETHER + 1)
  const stored = await findMasterchainIds(db, seqnosOf({ from: bottom, to: top }))
  const first = stored.get(top)
  if (!first) throw new Error(`masterchain block ${top} is indexed, but has no row`)
  if (!sameBlock(first, range.prev))
    throw new ChainConflict(first, range.prev, {
      named_by: `masterchain block ${range.from}, which is proven`,
    })
  if (known) {
    await addLinkedRange(db, { ...known, to: top })
    return 0
  }
  const ids = seqnosOf({ from: bottom, to: top }).flatMap((seqno) => stored.get(seqno) ?? [])
  const references = await Promise.allSettled(ids.map((id) => previousOf(id, signal, options)))
  await addLinkedRange(db, consistentPart(ids, references))
  return ids.length
}

/** The upper part whose references agree with what is stored; the walk examines the rest later. */
function consistentPart(
  ids: readonly BlockId[],
  references: readonly PromiseSettledResult<BlockId>[],
): LinkedRange {
  const last = references.at(-1)
  if (last?.status !== 'fulfilled') throw last?.reason ?? new Error('nothing to link')
  let part: LinkedRange = { from: ids.at(-1)!.seqno, to: ids.at(-1)!.seqno, prev: last.value }
  for (let at = ids.length - 2; at >= 0; at--) {
    const reference = references[at]!
    if (reference.status !== 'fulfilled' || !sameBlock(ids[at]!, part.prev)) break
    part = { ...part, from: ids[at]!.seqno, prev: reference.value }
  }
  return part
}

/**
 * The predecessor that a stored block refers to. If the block is undecodable, the stored predecessor, once
 * signatures prove it.
 */
async function previousOf(id: BlockId, signal: AbortSignal, options: LinkWalkOptions): Promise<BlockId> {
  const bytes = await options.source.getBlock(id, { signal })
  const named = readSkeleton({ id, bytes })?.prev[0]
  if (named) return named
  const stored = (await findMasterchainIds(options.db, [id.seqno - 1])).get(id.seqno - 1)
  if (!stored) throw new Error(`${formatBlockId(id)} cannot be read and the block before it is not stored`)
  await options.prove(stored, signal)
  return stored
}
