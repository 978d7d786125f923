import { hash } from 'node:crypto'
import { Pace } from '@shardwalk/concurrency'
import { type BlockId, DecodeError, formatBlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import { readSkeleton } from '@shardwalk/pipeline'
import { decodeEntryHeader, ENTRY_HEADER_SIZE, PACK_MAGIC } from '../pack/format.ts'
import { parseEntryName } from '../pack/names.ts'
import { type OpenedBlock, openSigned } from './signed-link.ts'

/** No file of a node comes near it. */
const MAX_ENTRIES = 20_000
const MAGIC_SIZE = 4

/** Blocks of an archive file, with the bytes of their ids. Which of them are the chain's is not known yet. */
export interface SliceContents {
  /** By file hash, in latin1. */
  readonly blocks: ReadonlyMap<string, Buffer>
  readonly masterchain: ReadonlyMap<number, readonly BlockId[]>
  /** Of masterchain blocks, by root hash in latin1. */
  readonly proofs: ReadonlyMap<string, Buffer>
  readonly hasShardBlocks: boolean
}

/** Reads an archive file. An incomplete entry at its end is left out. Throws `DecodeError`. */
export async function readSlice(file: Buffer): Promise<SliceContents> {
  if (file.length < MAGIC_SIZE || file.readUInt32LE() !== PACK_MAGIC)
    throw new DecodeError('archive', 'does not start with the package magic')
  const blocks = new Map<string, Buffer>()
  const masterchain = new Map<number, BlockId[]>()
  const proofs = new Map<string, Buffer>()
  let hasShardBlocks = false
  const pace = new Pace()
  for (const { name, data } of entriesOf(file)) {
    const entry = parseEntryName(name)
    if (entry?.kind === 'proof') proofs.set(entry.id.rootHash.toString('latin1'), data)
    if (entry?.kind !== 'block') continue
    const { id } = entry
    if (!hash('sha256', data, 'buffer').equals(id.fileHash))
      throw new DecodeError('archive', `does not hold ${formatBlockId(id)} under its name`)
    blocks.set(id.fileHash.toString('latin1'), data)
    if (id.workchain === MASTERCHAIN) masterchain.set(id.seqno, [...(masterchain.get(id.seqno) ?? []), id])
    else hasShardBlocks = true
    await pace.rest()
  }
  return { blocks, masterchain, proofs, hasShardBlocks }
}

function* entriesOf(file: Buffer): Generator<{ readonly name: string; readonly data: Buffer }> {
  let offset = MAGIC_SIZE
  for (let count = 0; count < MAX_ENTRIES; count++) {
    const header = decodeEntryHeader(file.subarray(offset))
    if (!header) return
    const dataOffset = offset + ENTRY_HEADER_SIZE + header.nameLength
    const end = dataOffset + header.size
    if (end > file.length) return
    const name = file.toString('utf8', offset + ENTRY_HEADER_SIZE, dataOffset)
    yield { name, data: file.subarray(dataOffset, end) }
    offset = end
  }
  throw new DecodeError('archive', `has more than ${MAX_ENTRIES} entries`)
}

/**
 * Masterchain blocks of a file in descending order, from the newest one with a valid proof on, each the one
 * that its successor names. Throws `DecodeError` or what `prove` throws if there is none.
 */
export async function linkSlice(
  { masterchain, blocks, proofs }: SliceContents,
  prove: (block: OpenedBlock) => Promise<unknown>,
): Promise<readonly BlockId[]> {
  const pace = new Pace()
  let at = await provenTop({ masterchain, proofs }, prove)
  const linked: BlockId[] = []
  for (;;) {
    linked.push(at)
    const bytes = blocks.get(at.fileHash.toString('latin1'))!
    const previous = readSkeleton({ id: at, bytes })?.prev[0]
    if (!previous || !masterchain.get(previous.seqno)?.some((id) => sameBlock(id, previous))) return linked
    at = previous
    await pace.rest()
  }
}

async function provenTop(
  { masterchain, proofs }: Pick<SliceContents, 'masterchain' | 'proofs'>,
  prove: (block: OpenedBlock) => Promise<unknown>,
): Promise<BlockId> {
  const newest = Math.max(...masterchain.keys())
  for (const id of masterchain.get(newest) ?? []) {
    const proof = proofs.get(id.rootHash.toString('latin1'))
    if (!proof) continue
    await prove(openSigned({ id, proof }))
    return id
  }
  throw new DecodeError('archive', 'has no proof of its newest masterchain block')
}
