import { hash } from 'node:crypto'
import { Pace } from '@shardwalk/concurrency'
import { type BlockId, DecodeError, formatBlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import { readSkeleton } from '@shardwalk/pipeline'
import { decodeEntryHeader, ENTRY_HEADER_SIZE, PACK_MAGIC } from '../pack/format.ts'
import { parseEntryName } from '../pack/names.ts'
import { ownCopy } from './own-memory.ts'
import { type OpenedBlock, openSigned } from './signed-link.ts'

/** No file of a node comes near them. */
const MAX_ENTRIES = 20_000
const MAX_ENTRY_SIZE = 16 << 20
const MAGIC_SIZE = 4

/** Blocks of an archive file, with the bytes of their ids. Which of them are the chain's is not known yet. */
export interface SliceContents {
  /** By file hash, in latin1. */
  readonly blocks: ReadonlyMap<string, Buffer>
  readonly masterchain: ReadonlyMap<number, readonly BlockId[]>
  /** Of masterchain blocks, by root hash in latin1. */
  readonly proofs: ReadonlyMap<string, Buffer>
  readonly hasShardBlocks: boolean
  /** Bytes of blocks and proofs. */
  readonly size: number
}

/**
 * Reads an archive file as its pieces arrive, of which only blocks and proofs are kept. An incomplete entry
 * at its end is left out. Throws `DecodeError`.
 */
export async function readSlice(pieces: AsyncIterable<Buffer>): Promise<SliceContents> {
  let size = 0
  const kept = (data: Buffer): Buffer => {
    size += data.length
    return ownCopy(data)
  }
  const blocks = new Map<string, Buffer>()
  const masterchain = new Map<number, BlockId[]>()
  const proofs = new Map<string, Buffer>()
  let hasShardBlocks = false
  const pace = new Pace()
  for await (const { name, data } of entriesOf(pieces)) {
    const entry = parseEntryName(name)
    if (entry?.kind === 'proof' && entry.id.workchain === MASTERCHAIN)
      proofs.set(entry.id.rootHash.toString('latin1'), kept(data))
    if (entry?.kind !== 'block') continue
    const { id } = entry
    if (!hash('sha256', data, 'buffer').equals(id.fileHash))
      throw new DecodeError('archive', `does not hold ${formatBlockId(id)} under its name`)
    blocks.set(id.fileHash.toString('latin1'), kept(data))
    if (id.workchain === MASTERCHAIN) masterchain.set(id.seqno, [...(masterchain.get(id.seqno) ?? []), id])
    else hasShardBlocks = true
    await pace.rest()
  }
  return { blocks, masterchain, proofs, hasShardBlocks, size }
}

interface Entry {
  readonly name: string
  readonly data: Buffer
}

/** Data are views of what has arrived, which they would keep alive. */
async function* entriesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  let rest: Buffer = Buffer.alloc(0)
  let hasMagic = false
  let count = 0
  for await (const piece of pieces) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    if (!hasMagic) {
      expectMagic(rest)
      hasMagic = true
      rest = rest.subarray(MAGIC_SIZE)
    }
    while (rest.length >= ENTRY_HEADER_SIZE) {
      const header = decodeEntryHeader(rest)
      if (!header) return
      if (header.size > MAX_ENTRY_SIZE)
        throw new DecodeError('archive', `has an entry of ${header.size} bytes`)
      const dataOffset = ENTRY_HEADER_SIZE + header.nameLength
      const end = dataOffset + header.size
      if (end > rest.length) break
      if (++count > MAX_ENTRIES) throw new DecodeError('archive', `has more than ${MAX_ENTRIES} entries`)
      const name = rest.toString('utf8', ENTRY_HEADER_SIZE, dataOffset)
      yield { name, data: rest.subarray(dataOffset, end) }
      rest = rest.subarray(end)
    }
  }
  if (!hasMagic) expectMagic(rest)
}

/** Pieces are of megabytes: no first one divides it. */
function expectMagic(start: Buffer): void {
  if (start.length < MAGIC_SIZE || start.readUInt32LE() !== PACK_MAGIC)
    throw new DecodeError('archive', 'does not start with the package magic')
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
