import { type Db, findAccountIds, loadContracts, type StatePart, type StoredContract } from '@shardwalk/db'
import { addressKey } from '@shardwalk/db/rows'
import { isNotFound } from '@shardwalk/liteserver'
import {
  ACCOUNT_STATUS,
  type BlockId,
  formatRawAddress,
  IndexerError,
  type RawAddress,
  sameAddress,
} from '@shardwalk/model'
import type { LoadedContract } from '@shardwalk/tvm'
import { completeState } from './complete-state.ts'
import type { ContractEnvironment } from './environment.ts'
import type { FetchedState, StateSource } from './state-source.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')

/** The source of states lags behind the blocks that are indexed. */
class StateNotThere extends IndexerError {
  readonly code = 'state_not_there'
  readonly retry = 'later'
}

/** The indexed blocks do not contain the complete state, and there is no server to ask. */
export class StateMissing extends IndexerError {
  readonly code = 'state_missing'
  readonly retry = 'never'

  /** `part`: its data as far as it is known; `lacking`: hash of a cell that is not. */
  constructor(
    readonly address: RawAddress,
    readonly part: StatePart | undefined,
    readonly lacking: Buffer | undefined,
  ) {
    super(`the state of ${formatRawAddress(address)} is not in the blocks that are indexed`)
  }
}

/** A state with all its cells. */
export interface Complete {
  readonly address: RawAddress
  readonly lt: bigint
  readonly balance: bigint
  readonly timestamp: number
  readonly codeHash: Buffer | null
  readonly dataHash: Buffer | null
  readonly code: Buffer | null
  readonly data: Buffer | null
  /** Whether the tables lack it. */
  readonly isNew: boolean
}

/** `lt`: of the state, 0 when there is none. */
interface LoadedState {
  readonly contract: LoadedContract | undefined
  readonly lt: bigint
}

export interface StateLoaderOptions {
  readonly db: Db
  readonly states: StateSource | undefined
  readonly environment: Pick<ContractEnvironment, 'now' | 'newest' | 'hasWorkchain'>
}

/** Newest states, each loaded once. Make one per batch of accounts. */
export class StateLoader {
  private readonly loaded = new Map<string, Promise<LoadedState>>()
  private readonly confirmationHashes = new Map<string, string | null>()
  /** Of accounts that exist though no indexed block touched them; undefined: not asked for yet. */
  private readonly untouched = new Map<string, Promise<FetchedState | undefined> | undefined>()
  /** States that servers were asked for. */
  fetched = 0

  constructor(private readonly options: StateLoaderOptions) {}

  /** Throws `StateMissing`, `StateNotThere`, and what the source of states throws. */
  load(address: RawAddress): Promise<LoadedState> {
    const key = addressKey(address)
    let state = this.loaded.get(key)
    if (!state) {
      state = this.loadOne(address)
      this.loaded.set(key, state)
    }
    return state
  }

  /** `contracts.confirmation_hash` of a contract as it was when its state was loaded. */
  confirmationHash(address: RawAddress): string | null {
    return this.confirmationHashes.get(addressKey(address)) ?? null
  }

  /**
   * The state at the newest indexed block of an account that was loaded and that no indexed block touched.
   * Undefined if there is none, or no server has it: deleted by now, or not there yet. Throws what the source
   * of states throws.
   */
  async untouchedState(address: RawAddress): Promise<FetchedState | undefined> {
    const key = addressKey(address)
    if (!this.untouched.has(key)) return undefined
    const state = this.untouched.get(key) ?? this.fetchNewest(address)
    this.untouched.set(key, state)
    return state
  }

  private async fetchNewest(address: RawAddress): Promise<FetchedState | undefined> {
    const { states, environment } = this.options
    try {
      return states && environment.newest && (await this.fetch(states, address, environment.newest))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** The stored state with all its cells, else the network's newest one. Throws as `load`. */
  async complete(found: StoredContract): Promise<Complete> {
    const stored = found.timestamp > 0 ? found : { ...found, timestamp: this.options.environment.now }
    if (stored.status !== ACTIVE || isWhole(stored)) return { ...stored, isNew: false }
    const { part, lacking, ...local } = await completeState(this.options.db, stored)
    if (isWhole({ ...stored, ...local })) return { ...stored, ...local, isNew: true }
    const { states, environment } = this.options
    if (!states) throw new StateMissing(stored.address, part, lacking)
    const newest = await this.fetch(states, stored.address)
    if (!newest || newest.lt < stored.lt)
      throw new StateNotThere(`the network's state is of lt ${newest?.lt ?? 0n}, lt ${stored.lt} is indexed`)
    const timestamp = newest.lt === stored.lt ? stored.timestamp : Math.max(stored.timestamp, environment.now)
    return { ...fromNetwork(newest), address: stored.address, timestamp }
  }

  /** Throws `StateMissing` when the blocks at hand do not show the whole state. */
  async completeLocally(stored: StoredContract): Promise<Complete> {
    if (isWhole(stored)) return { ...stored, isNew: false }
    const { part, lacking, ...local } = await completeState(this.options.db, stored)
    if (isWhole({ ...stored, ...local })) return { ...stored, ...local, isNew: true }
    throw new StateMissing(stored.address, part, lacking)
  }

  private async loadOne(address: RawAddress): Promise<LoadedState> {
    const { db, states, environment } = this.options
    const id = (await findAccountIds(db, [address])).get(addressKey(address))
    const stored = id === undefined ? undefined : (await loadContracts(db, [id]))[0]
    if (stored && sameAddress(stored.address, address)) {
      this.confirmationHashes.set(addressKey(address), stored.confirmationHash)
      return toLoaded(await this.complete(stored))
    }
    // An account that no indexed block touched. Contracts may name one anywhere; where there are no shards,
    // lite servers prove nothing.
    const mayExist = states && environment.hasWorkchain(address.workchain)
    const found = mayExist && (await this.fetch(states, address))
    if (!found) return { contract: undefined, lt: 0n }
    this.untouched.set(addressKey(address), undefined)
    return toLoaded({ ...fromNetwork(found), address, timestamp: environment.now })
  }

  private fetch(states: StateSource, address: RawAddress, at?: BlockId): Promise<FetchedState | undefined> {
    this.fetched++
    return states.account(address, at)
  }
}

const isWhole = ({
  codeHash,
  code,
  dataHash,
  data,
}: Pick<Complete, 'codeHash' | 'code' | 'dataHash' | 'data'>) =>
  (!codeHash || code !== null) && (!dataHash || data !== null)

const fromNetwork = ({ state, lt }: FetchedState) => ({
  lt,
  balance: state.balance,
  codeHash: state.codeHash ?? null,
  dataHash: state.dataHash ?? null,
  code: state.code ?? null,
  data: state.data ?? null,
  isNew: true,
})

function toLoaded({
  address,
  lt,
  balance,
  timestamp: now,
  codeHash,
  dataHash,
  code,
  data,
}: Complete): LoadedState {
  if (!code || !data || !codeHash || !dataHash) return { contract: undefined, lt }
  return { contract: { address, codeHash, dataHash, code, data, balance, now }, lt }
}
