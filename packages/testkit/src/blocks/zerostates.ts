import { Builder, buildDict, type Cell, EMPTY_CELL, serializeCanonical, sha256 } from '@shardwalk/cells'
import { BASECHAIN, type BlockId, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { storeCurrencyCollection } from '@shardwalk/tlb'
import { type GeneratedState, statesOf } from './generated-state.ts'
import { OldBlocks } from './old-blocks.ts'
import { PRICES } from './prices.ts'
import type { AccountModel } from './random-account.ts'
import { libraryCell } from './random-trees.ts'
import { NO_MONEY, stateCell } from './state-cells.ts'
import { ValidatorRounds } from './validators.ts'

export const GLOBAL_ID = -777
export const GENESIS_UTIME = 1_700_000_000
export const CONFIG_ADDRESS = Buffer.alloc(32, 0x55)
const ELECTOR_ADDRESS = Buffer.alloc(32, 0x33)

export interface Zerostate {
  readonly id: BlockId
  readonly cell: Cell
  readonly bytes: Buffer
  /** By account id in hex. */
  readonly accounts: ReadonlyMap<string, GeneratedState>
}

/** By workchain, the masterchain included. */
export type Zerostates = ReadonlyMap<number, Zerostate>

export interface Genesis {
  /** Besides the masterchain. */
  readonly workchains: readonly number[]
  /** Of all workchains; those that do not exist yet are left out. */
  readonly accounts: readonly AccountModel[]
  readonly rounds: ValidatorRounds
  /** Whether the masterchain's configuration names the workchain from the beginning. */
  readonly isNamed: (workchain: number) => boolean
}

export function zerostatesOf({ workchains, accounts, rounds, isNamed }: Genesis): Zerostates {
  const own = (workchain: number) => accounts.filter(({ address }) => address.workchain === workchain)
  const others = workchains.map((workchain) => zerostateOf(workchain, own(workchain)))
  const named = others.map(({ id }) => id).filter(({ workchain }) => isNamed(workchain))
  const masterchain = zerostateOf(
    MASTERCHAIN,
    own(MASTERCHAIN),
    mcStateExtraCell({ workchains: named, rounds }),
  )
  return new Map([masterchain, ...others].map((zerostate) => [zerostate.id.workchain, zerostate]))
}

/** State before the first block of a chain of default options. */
export const generatedZerostate = (workchain: number): Zerostate =>
  zerostatesOf({
    ...{ workchains: [BASECHAIN], accounts: [], isNamed: () => true, rounds: new ValidatorRounds(0) },
  }).get(workchain)!

function zerostateOf(workchain: number, accounts: readonly AccountModel[], custom?: Cell): Zerostate {
  const of = {
    globalId: GLOBAL_ID,
    workchain,
    shard: FULL_SHARD,
    seqno: 0,
    genUtime: GENESIS_UTIME,
    genLt: 0n,
  }
  const cell = stateCell(of, accounts, { custom })
  const bytes = serializeCanonical(cell)
  const id = { workchain, shard: FULL_SHARD, seqno: 0, rootHash: cell.hash(), fileHash: sha256(bytes) }
  const existing = accounts.filter(({ status }) => status !== 'nonexist')
  return { id, cell, bytes, accounts: statesOf(existing) }
}

interface StateExtraParts {
  /** Zerostates that the configuration names. */
  readonly workchains: readonly BlockId[]
  readonly rounds: ValidatorRounds
  /** Default: there are none before a zerostate. */
  readonly oldBlocks?: OldBlocks
  /** The block itself is one. */
  readonly isKeyBlock?: boolean
  readonly lastKeyBlock?: BlockId | undefined
  /** Default: there are no shards. */
  readonly shardHashes?: Cell | undefined
}

/**
 * block.tlb `masterchain_state_extra#cc26`: shards, the configuration, validators, earlier blocks, nothing
 * else.
 */
export function mcStateExtraCell({
  workchains,
  rounds,
  oldBlocks = new OldBlocks(),
  isKeyBlock = false,
  lastKeyBlock,
  shardHashes,
}: StateExtraParts): Cell {
  // flags, validator_list_hash_short, catchain_seqno, nx_cc_updated; then prev_blocks, after_key_block and
  // last_key_block.
  const { listHash, catchainSeqno } = rounds.subset()
  const validators = new Builder().storeUint(0, 16).storeUint(listHash, 32).storeUint(catchainSeqno, 32)
  const info = oldBlocks.store(validators.storeBit(false))
  info.storeBit(isKeyBlock).storeBit(lastKeyBlock !== undefined)
  if (lastKeyBlock) {
    const { seqno, rootHash, fileHash } = lastKeyBlock
    info.storeUint(0, 64).storeUint(seqno, 32).storeBytes(rootHash).storeBytes(fileHash)
  }
  const builder = new Builder().storeUint(0xcc26, 16).storeMaybeRef(shardHashes)
  builder.storeBytes(CONFIG_ADDRESS).storeRef(configCell({ workchains, rounds })).storeRef(info.endCell())
  return storeCurrencyCollection(builder, NO_MONEY).endCell()
}

/**
 * ConfigParam 0, 1, 8, unless the network never set it, 12, 19, prices, those of validators, and some that no
 * specification has.
 */
export function configCell({
  workchains,
  rounds,
  hasVersion = true,
  hasNewerForms = false,
}: {
  readonly workchains: readonly BlockId[]
  readonly rounds: ValidatorRounds
  readonly hasVersion?: boolean
  /** Of the version, and of a list of suspended addresses. */
  readonly hasNewerForms?: boolean
}): Cell {
  const version = new Builder()
    .storeUint(hasNewerForms ? 0xc5 : 0xc4, 8)
    .storeUint(12, 32)
    .storeUint(494, 64)
    .endCell()
  const descr = hasNewerForms ? newerWorkchainDescr : workchainDescr
  const descriptions = workchains.map((id) => [id.workchain >>> 0, descr(id)] as const)
  const params: (readonly [number, Cell])[] = [
    [0, new Builder().storeBytes(CONFIG_ADDRESS).endCell()],
    [1, new Builder().storeBytes(ELECTOR_ADDRESS).endCell()],
    ...(hasVersion ? [[8, version] as [number, Cell]] : []),
    [12, new Builder().storeMaybeRef(buildDict(descriptions, 32)).endCell()],
    [19, new Builder().storeInt(GLOBAL_ID, 32).endCell()],
    ...PRICES,
    ...rounds.params({ hasNewerForms }),
    // Suspended addresses in a form that is not known.
    ...(hasNewerForms ? [[44, new Builder().storeUint(1, 8).endCell()] as const] : []),
    [71, new Builder().storeUint(0xff, 8).endCell()],
    [-999 >>> 0, new Builder().storeUint(7, 3).storeRef(EMPTY_CELL).endCell()],
    [9_999, libraryCell(Buffer.alloc(32, 9))],
  ]
  return buildDict(
    params.map(([index, cell]) => [index, new Builder().storeRef(cell)] as const),
    32,
  )!
}

/** block.tlb `workchain#a6` with `wfmt_basic#1`. */
const workchainDescr = (id: BlockId): Builder =>
  workchainHead(id, { tag: 0xa6, isBasic: true }).storeUint(1, 4).storeInt(-1, 32).storeUint(0, 64)

/** block.tlb `workchain_v2#a7` with `wfmt_ext#0`, whose addresses have one length. */
function newerWorkchainDescr(id: BlockId): Builder {
  const builder = workchainHead(id, { tag: 0xa7, isBasic: false }).storeUint(0, 4)
  builder.storeUint(256, 12).storeUint(256, 12).storeUint(0, 12).storeUint(1, 32)
  // wc_split_merge_timings#0, persistent_state_split_depth.
  return builder.storeUint(0, 4).storeUint(0, 128).storeUint(0, 8)
}

function workchainHead(
  { rootHash, fileHash }: BlockId,
  { tag, isBasic }: { readonly tag: number; readonly isBasic: boolean },
): Builder {
  // enabled_since; actual_min_split, min_split, max_split; basic, active, accept_msgs and flags; version.
  const builder = new Builder().storeUint(tag, 8).storeUint(0, 32)
  builder.storeUint(0, 8).storeUint(0, 8).storeUint(60, 8).storeBit(isBasic)
  builder.storeUint(0b11, 2).storeUint(0, 13).storeBytes(rootHash).storeBytes(fileHash)
  return builder.storeUint(0, 32)
}
