import { Builder, buildDict, type Cell, serializeCanonical, sha256 } from '@shardwalk/cells'
import { BASECHAIN, type BlockId, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { storeCurrencyCollection } from '@shardwalk/tlb'
import { NO_MONEY, stateCell } from './state-cells.ts'
import { catchainConfigCell, validatorSetCell } from './validators.ts'

export const GLOBAL_ID = -777
export const GENESIS_UTIME = 1_700_000_000
export const CONFIG_ADDRESS = Buffer.alloc(32, 0x55)

export interface Zerostate {
  readonly id: BlockId
  readonly cell: Cell
  readonly bytes: Buffer
}

/** State before the first block: no accounts, the same for all generated chains. */
export function generatedZerostate(workchain: number): Zerostate {
  const of = {
    globalId: GLOBAL_ID,
    workchain,
    shard: FULL_SHARD,
    seqno: 0,
    genUtime: GENESIS_UTIME,
    genLt: 0n,
  }
  const cell = stateCell(of, [], workchain === MASTERCHAIN ? mcStateExtraCell() : undefined)
  const bytes = serializeCanonical(cell)
  const id = { workchain, shard: FULL_SHARD, seqno: 0, rootHash: cell.hash(), fileHash: sha256(bytes) }
  return { id, cell, bytes }
}

/**
 * block.tlb `masterchain_state_extra#cc26`: the configuration, the last key block and nothing else.
 * `maxEndLt`: of earlier blocks, none of which are listed.
 */
export function mcStateExtraCell(maxEndLt = 0n, lastKeyBlock?: BlockId): Cell {
  // flags, validator_list_hash_short, catchain_seqno, nx_cc_updated; then prev_blocks, after_key_block and
  // last_key_block.
  const info = new Builder()
    .storeUint(0, 16 + 32 + 32 + 1)
    .storeUint(0, 1 + 1)
    .storeUint(maxEndLt, 64)
  info.storeBit(false).storeBit(lastKeyBlock !== undefined)
  if (lastKeyBlock) {
    const { seqno, rootHash, fileHash } = lastKeyBlock
    info.storeUint(0, 64).storeUint(seqno, 32).storeBytes(rootHash).storeBytes(fileHash)
  }
  const builder = new Builder().storeUint(0xcc26, 16).storeBit(false)
  builder.storeBytes(CONFIG_ADDRESS).storeRef(configCell()).storeRef(info.endCell())
  return storeCurrencyCollection(builder, NO_MONEY).endCell()
}

/** ConfigParam 8, unless the network never set it, 12, 28 and 34. */
export function configCell({ hasVersion = true } = {}): Cell {
  const version = new Builder().storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64).endCell()
  const workchains = buildDict([[BASECHAIN, workchainDescr()]], 32)
  const params: [number, Cell][] = [
    ...(hasVersion ? [[8, version] as [number, Cell]] : []),
    [12, new Builder().storeMaybeRef(workchains).endCell()],
    [28, catchainConfigCell()],
    [34, validatorSetCell()],
  ]
  return buildDict(
    params.map(([index, cell]) => [index, new Builder().storeRef(cell)] as const),
    32,
  )!
}

/** block.tlb `workchain#a6` with `wfmt_basic#1`. */
function workchainDescr(): Builder {
  const { rootHash, fileHash } = generatedZerostate(BASECHAIN).id
  // enabled_since; actual_min_split, min_split, max_split; basic, active, accept_msgs and flags.
  const builder = new Builder().storeUint(0xa6, 8).storeUint(0, 32)
  builder.storeUint(0, 8).storeUint(0, 8).storeUint(60, 8)
  builder.storeUint(0b111, 3).storeUint(0, 13).storeBytes(rootHash).storeBytes(fileHash)
  return builder.storeUint(0, 32).storeUint(1, 4).storeInt(-1, 32).storeUint(0, 64)
}
