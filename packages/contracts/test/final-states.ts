import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Bag, CELL, Cell, parseBoc, type Slice, sliceToCell } from '@shardwalk/cells'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import {
  forEachShardAccount,
  loadAccount,
  loadMcStateExtra,
  loadShardState,
  loadShardStateRest,
} from '@shardwalk/tlb'
import { publicLibraries } from '@shardwalk/tvm'

const CHAIN = new URL('../../../fixtures/chain/', import.meta.url)
const read = (name: string): Buffer => gunzipSync(readFileSync(new URL(`${name}.gz`, CHAIN)))

interface IndexedBlock {
  readonly file: string
  readonly data_offset: number
  readonly size: number
}

interface ChainIndex {
  readonly masterchain: readonly { readonly block: IndexedBlock; readonly shards: readonly IndexedBlock[] }[]
}

export interface FinalAccount {
  readonly address: RawAddress
  readonly balance: bigint
  /** gen_utime of the state's block. */
  readonly now: number
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  readonly code: Cell
  readonly data: Cell
}

export interface FinalStates {
  /** Active accounts with code and data by raw address. */
  readonly accounts: ReadonlyMap<string, FinalAccount>
  /** `Hashmap 32 ^Cell`. */
  readonly config: Cell
  /** `Hashmap 256 ^Cell`: public libraries; undefined when there are none. */
  readonly libraries: Cell | undefined
}

/**
 * State of the sample network after its last block, assembled from the cells in its blocks. Takes about a
 * second.
 */
export function finalStates(): FinalStates {
  const index = JSON.parse(read('index.json').toString('utf8')) as ChainIndex
  const store = new CellStore()
  for (const name of ['zerostate_-1.boc', 'zerostate_0.boc'])
    store.collectBag(parseBoc(readFileSync(new URL(name, CHAIN))))
  const packs = new Map<string, Buffer>()
  const newState = ({ file, data_offset: from, size }: IndexedBlock): string => {
    const pack = packs.get(file) ?? read(file)
    packs.set(file, pack)
    return store.collectBlock(pack.subarray(from, from + size))
  }
  let masterchain = ''
  let basechain = ''
  // The sample ends with a single shard, so the state of the last shard block is complete.
  for (const { block, shards } of index.masterchain) {
    for (const shard of shards) basechain = newState(shard)
    masterchain = newState(block)
  }
  const accounts = new Map<string, FinalAccount>()
  for (const hash of [masterchain, basechain]) addAccounts(store.rebuild(hash).slice(), accounts)
  const state = loadShardState(store.rebuild(masterchain).slice())
  const config = sliceToCell(loadMcStateExtra((state.custom as Slice).preloadRefSlice()).config.root)
  return {
    accounts,
    config,
    libraries: publicLibraries(loadShardStateRest(state.rest.preloadRefSlice()).libraries),
  }
}

/** facts.json of the sample network. */
// biome-ignore lint/suspicious/noExplicitAny: tests pick facts by name and compare them with typed results
export const readFacts = (): any => JSON.parse(readFileSync(new URL('facts.json', CHAIN), 'utf8'))

function addAccounts(slice: Slice, into: Map<string, FinalAccount>): void {
  const state = loadShardState(slice)
  forEachShardAccount(state, (entry) => {
    const account = loadAccount(entry.account.preloadRefSlice())
    if (account?.state.status !== 'active' || !account.address) return
    const { code, data } = account.state.init
    if (!code || !data) return
    into.set(formatRawAddress(account.address), {
      address: account.address,
      balance: account.balance,
      now: state.genUtime,
      codeHash: code.refHash(),
      dataHash: data.refHash(),
      code: code.preloadRefCell(),
      data: data.preloadRefCell(),
    })
  })
}

/** All cells that ever occurred in a state, by hash: an update refers to unchanged cells by hash only. */
class CellStore {
  private readonly cells = new Map<string, { readonly bag: Bag; readonly cell: number }>()
  private readonly made = new Map<string, Cell>()

  collectBag(bag: Bag): void {
    this.collect(bag, bag.root)
  }

  /** Hash of the state after the block. */
  collectBlock(bytes: Buffer): string {
    const bag = parseBoc(bytes, { verifyCrc: false })
    // block.tlb `block`: the third reference is `state_update:^(MERKLE_UPDATE ShardState)`.
    const next = bag.ref(bag.ref(bag.root, 2), 1)
    this.collect(bag, next)
    return bag.hash(next, 0).toString('latin1')
  }

  rebuild(hash: string): Cell {
    const known = this.made.get(hash)
    if (known) return known
    const found = this.cells.get(hash)
    if (!found) throw new Error(`cell ${Buffer.from(hash, 'latin1').toString('hex')} is in no block`)
    const { bag, cell } = found
    const refs: Cell[] = []
    for (let i = 0; i < bag.refCount(cell); i++)
      refs.push(this.rebuild(bag.hash(bag.ref(cell, i), 0).toString('latin1')))
    const at = bag.dataOffset(cell)
    const bits = bag.bitLength(cell)
    const built = Cell.unchecked(bag.type(cell), bag.bytes.subarray(at, at + ((bits + 7) >> 3)), bits, refs)
    this.made.set(hash, built)
    return built
  }

  private collect(bag: Bag, cell: number): void {
    if (bag.type(cell) === CELL.pruned) return
    const key = bag.hash(cell, 0).toString('latin1')
    if (this.cells.has(key)) return
    this.cells.set(key, { bag, cell })
    for (let i = 0; i < bag.refCount(cell); i++) this.collect(bag, bag.ref(cell, i))
  }
}
