import { type BlockId, DecodeError, formatShard } from '@shardwalk/model'

/** `index.json` of a recorded chain: snake_case, hashes and shards in hex, lt as decimal string. */
export interface IndexJson {
  readonly network: {
    readonly global_id: number
    readonly zero_state: BlockIdJson & Partial<FileJson>
    readonly basechain_zero_state?: BlockIdJson & Partial<FileJson>
    /** Of further workchains. */
    readonly other_zero_states?: readonly BlockIdJson[]
    readonly init_block?: BlockIdJson
  }
  readonly first_masterchain_seqno: number
  readonly last_masterchain_block: BlockIdJson
  readonly packs: readonly PackJson[]
  readonly masterchain: readonly StepJson[]
}

/** A package of blocks. `sha256`: hex. */
export interface PackJson {
  readonly file: string
  readonly size: number
  readonly sha256: string
}

/** `shard`: 16 hex digits; hashes: hex. */
export interface BlockIdJson {
  readonly workchain: number
  readonly shard: string
  readonly seqno: number
  readonly root_hash: string
  readonly file_hash: string
}

interface FileJson {
  readonly file: string
  readonly size: number
}

/** A masterchain block, the shard tops that it commits, and the new shard blocks, predecessors first. */
export interface StepJson {
  readonly seqno: number
  readonly block: BlockJson
  readonly shard_tops: readonly BlockIdJson[]
  readonly shards: readonly BlockJson[]
}

/** A line of the index of a recorded chain: the header, and where the bytes are in which file. */
export interface BlockJson extends BlockIdJson {
  readonly gen_utime: number
  readonly start_lt: string
  readonly end_lt: string
  readonly prev: readonly Omit<BlockIdJson, 'workchain'>[]
  readonly key_block?: boolean
  readonly after_split?: boolean
  readonly after_merge?: boolean
  readonly before_split?: boolean
  readonly want_split?: boolean
  readonly want_merge?: boolean
  readonly file: string
  readonly offset: number
  readonly data_offset: number
  readonly size: number
}

/** A block of a recording: fields for lookups, and the position of its bytes. */
export interface RecordedBlock {
  readonly id: BlockId
  readonly genUtime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly prev: readonly BlockId[]
  readonly keyBlock: boolean
  readonly file: string
  readonly dataOffset: number
  readonly size: number
}

/**
 * One masterchain block, the shard configuration it commits, and its new shard blocks, predecessors first.
 */
export interface RecordedStep {
  readonly seqno: number
  readonly block: RecordedBlock
  readonly shardTops: readonly BlockId[]
  readonly shards: readonly RecordedBlock[]
}

/** `path`: place in index.json for errors. Throws DecodeError for a wrong hash. */
export function parseBlockIdJson(json: BlockIdJson, path: string): BlockId {
  return {
    workchain: json.workchain,
    shard: BigInt(`0x${json.shard}`),
    seqno: json.seqno,
    rootHash: parseHash(json.root_hash, `${path}.root_hash`),
    fileHash: parseHash(json.file_hash, `${path}.file_hash`),
  }
}

/** Hashes in hex, as everything in index.json. */
export const formatBlockIdJson = (id: BlockId): BlockIdJson => ({
  workchain: id.workchain,
  shard: formatShard(id.shard),
  seqno: id.seqno,
  root_hash: id.rootHash.toString('hex'),
  file_hash: id.fileHash.toString('hex'),
})

/** Throws DecodeError, which names the place in index.json. */
export function parseStep(json: StepJson): RecordedStep {
  const path = `masterchain[${json.seqno}]`
  return {
    seqno: json.seqno,
    block: parseBlock(json.block, `${path}.block`),
    shardTops: json.shard_tops.map((top) => parseBlockIdJson(top, `${path}.shard_tops`)),
    shards: json.shards.map((block) => parseBlock(block, `${path}.shards`)),
  }
}

function parseBlock(json: BlockJson, path: string): RecordedBlock {
  const { workchain } = json
  return {
    id: parseBlockIdJson(json, path),
    genUtime: json.gen_utime,
    startLt: BigInt(json.start_lt),
    endLt: BigInt(json.end_lt),
    prev: json.prev.map((prev) => parseBlockIdJson({ workchain, ...prev }, `${path}.prev`)),
    keyBlock: json.key_block === true,
    file: json.file,
    dataOffset: json.data_offset,
    size: json.size,
  }
}

/** Size and hash by file. Files lie in the folder of the index: their names have no separators. */
export function parsePacks(packs: readonly PackJson[] | undefined): ReadonlyMap<string, PackFacts> {
  const result = new Map<string, PackFacts>()
  for (const [i, { file, size, sha256 }] of (packs ?? []).entries()) {
    const path = `packs[${i}]`
    if (typeof file !== 'string' || !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(file))
      throw new DecodeError(`index.json: ${path}.file`, 'is not the name of a file in the folder')
    if (!Number.isSafeInteger(size) || size < 0)
      throw new DecodeError(`index.json: ${path}.size`, 'is not a size in bytes')
    result.set(file, { size, sha256: parseHash(sha256, `${path}.sha256`) })
  }
  return result
}

/** `sha256`: of the whole file, 32 bytes. */
export interface PackFacts {
  readonly size: number
  readonly sha256: Buffer
}

function parseHash(text: unknown, path: string): Buffer {
  if (typeof text === 'string' && /^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  throw new DecodeError(`index.json: ${path}`, 'is not a hash of 64 hex digits')
}
