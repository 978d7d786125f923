import { createHash } from 'node:crypto'
import { crc32c, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import { MASTERCHAIN, type ShardId } from '@shardwalk/model'
import { FormNotKnown, prove } from './errors.ts'

/** One validator. Source: block.tlb `validator#53`, `validator_addr#73`. */
export interface Validator {
  /** ed25519, 32 bytes. */
  readonly publicKey: Buffer
  readonly weight: bigint
  /** 32 bytes; zeros if the entry has none. */
  readonly adnlAddress: Buffer
}

/** Config parameter 34 or 35. Source: block.tlb `validators#11`, `validators_ext#12`. */
export interface ValidatorSet {
  readonly utimeSince: number
  readonly utimeUntil: number
  readonly main: number
  readonly validators: readonly Validator[]
}

/**
 * Config parameter 28, fields that select validators. Source: block.tlb `catchain_config#c1`,
 * `catchain_config_new#c2`.
 */
export interface CatchainConfig {
  readonly shuffleMasterchainValidators: boolean
  readonly shardValidatorsNum: number
}

/** The validators that sign the blocks of a shard. */
export interface ValidatorSubset {
  readonly catchainSeqno: number
  readonly members: readonly Validator[]
  /** `gen_validator_list_hash_short` of the blocks that this subset creates. */
  readonly listHash: number
  readonly totalWeight: bigint
}

const NO_ADDRESS = Buffer.alloc(32)
/** Source: block.tlb, `ed25519_pubkey#8e81278a`. */
const PUBLIC_KEY_TAG = 0x8e81278a
/** Plausibility limit: keeps sums of weights far below 64 bits. */
const MAX_TOTAL_WEIGHT = 1n << 61n

/** Throws `FormNotKnown`, as `loadValidatorSet`. */
export function loadCatchainConfig(slice: Slice): CatchainConfig {
  const tag = loadTag(slice, [0xc1, 0xc2], 'config parameter 28')
  const shuffleMasterchainValidators = tag === 0xc2 && slice.skip(7).loadBit()
  slice.skip(96)
  return { shuffleMasterchainValidators, shardValidatorsNum: slice.loadUint(32) }
}

/**
 * Config parameter `index`. Throws `FormNotKnown` for another form. Source: block.tlb `validators#11`,
 * `validators_ext#12`.
 */
export function loadValidatorSet(slice: Slice, index = 34): ValidatorSet {
  const subject = `config parameter ${index}`
  const tag = loadTag(slice, [0x11, 0x12], subject)
  const utimeSince = slice.loadUint(32)
  const utimeUntil = slice.loadUint(32)
  const total = slice.loadUint(16)
  const main = slice.loadUint(16)
  if (tag === 0x12) slice.skip(64)
  const validators: Validator[] = []
  let weight = 0n
  forEachLeaf(
    tag === 0x12 ? loadDictRoot(slice) : slice,
    16,
    (value, key) => {
      prove(key.toNumber() === validators.length, subject, `validator ${validators.length} is missing`)
      const validator = loadValidator(value, subject)
      weight += validator.weight
      validators.push(validator)
    },
    { pruned: 'fail' },
  )
  prove(validators.length === total, subject, `holds ${validators.length} validators of ${total}`)
  prove(main > 0 && main <= total, subject, `${main} main validators of ${total}`)
  prove(weight <= MAX_TOTAL_WEIGHT, subject, 'total weight out of range')
  return { utimeSince, utimeUntil, main, validators }
}

function loadTag(slice: Slice, known: readonly number[], subject: string): number {
  const tag = slice.loadUint(8)
  if (known.includes(tag)) return tag
  throw new FormNotKnown(`${subject}: unknown tag ${tag.toString(16)}; update Shardwalk`)
}

function loadValidator(slice: Slice, subject: string): Validator {
  const tag = loadTag(slice, [0x53, 0x73], `validator of ${subject}`)
  if (slice.loadUint(32) !== PUBLIC_KEY_TAG)
    throw new FormNotKnown(`${subject}: a key is not one of ed25519; update Shardwalk`)
  const publicKey = slice.loadBytes(32)
  const weight = slice.loadUintBig(64)
  return { publicKey, weight, adnlAddress: tag === 0x73 ? slice.loadBytes(32) : NO_ADDRESS }
}

/**
 * Validators that create the blocks of a shard in a catchain round. Source: node, crypto/block/mc-config.cpp.
 */
export function validatorSubset(options: {
  readonly set: ValidatorSet
  readonly catchain: CatchainConfig
  readonly workchain: number
  readonly shard: ShardId
  readonly catchainSeqno: number
}): ValidatorSubset {
  const random = shuffleNumbers(options)
  const members =
    options.workchain === MASTERCHAIN
      ? masterchainMembers(options.set, options.catchain.shuffleMasterchainValidators ? random : undefined)
      : shardMembers(options.set, options.catchain.shardValidatorsNum, random)
  return {
    catchainSeqno: options.catchainSeqno,
    members,
    listHash: validatorListHash(members, options.catchainSeqno),
    totalWeight: members.reduce((sum, member) => sum + member.weight, 0n),
  }
}

type Random = (range: bigint) => bigint

function masterchainMembers(set: ValidatorSet, random: Random | undefined): readonly Validator[] {
  const count = Math.min(set.main, set.validators.length)
  const order: number[] = []
  for (let i = 0; i < count; i++) {
    const j = random ? Number(random(BigInt(i + 1))) : i
    order[i] = order[j] ?? i
    order[j] = i
  }
  return order.map((index) => set.validators[index] as Validator)
}

/** Weighted sampling without replacement; every member of a shard's subset has weight 1. */
function shardMembers(set: ValidatorSet, wanted: number, random: Random): readonly Validator[] {
  const starts: bigint[] = []
  let remaining = 0n
  for (const validator of set.validators) {
    starts.push(remaining)
    remaining += validator.weight
  }
  const holes: { start: bigint; weight: bigint }[] = []
  const members: Validator[] = []
  for (let i = 0; i < Math.min(wanted, set.validators.length); i++) {
    let point = random(remaining)
    for (const hole of holes) {
      if (point < hole.start) break
      point += hole.weight
    }
    const index = lastAtMost(starts, point)
    const chosen = set.validators[index] as Validator
    members.push({ ...chosen, weight: 1n })
    remaining -= chosen.weight
    const start = starts[index] as bigint
    const place = holes.findIndex((hole) => hole.start > start)
    holes.splice(place < 0 ? holes.length : place, 0, { start, weight: chosen.weight })
  }
  return members
}

function lastAtMost(sorted: readonly bigint[], value: bigint): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((sorted[middle] as bigint) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** `ranged(n)`: high 64 bits of n times the next 64-bit number of the SHA-512 counter generator. */
function shuffleNumbers(options: { shard: ShardId; workchain: number; catchainSeqno: number }): Random {
  const seed = Buffer.alloc(48)
  seed.writeBigUInt64BE(options.shard, 32)
  seed.writeInt32BE(options.workchain, 40)
  seed.writeUInt32BE(options.catchainSeqno, 44)
  let block = Buffer.alloc(0)
  let used = 0
  return (range) => {
    if (used === block.length) {
      block = createHash('sha512').update(seed).digest()
      used = 0
      incrementCounter(seed)
    }
    const next = block.readBigUInt64BE(used)
    used += 8
    return (range * next) >> 64n
  }
}

/** Increments the first 32 bytes as one big-endian number. */
function incrementCounter(seed: Buffer): void {
  for (let i = 31; i >= 0; i--) {
    const next = (seed.readUInt8(i) + 1) & 0xff
    seed.writeUInt8(next, i)
    if (next !== 0) return
  }
}

const LIST_HASH_MAGIC = -1877581587

function validatorListHash(members: readonly Validator[], catchainSeqno: number): number {
  const bytes = Buffer.alloc(12 + members.length * 72)
  bytes.writeInt32LE(LIST_HASH_MAGIC, 0)
  bytes.writeUInt32LE(catchainSeqno, 4)
  bytes.writeUInt32LE(members.length, 8)
  members.forEach((member, i) => {
    const at = 12 + i * 72
    member.publicKey.copy(bytes, at)
    bytes.writeBigUInt64LE(member.weight, at + 32)
    member.adnlAddress.copy(bytes, at + 40)
  })
  return crc32c(bytes)
}
