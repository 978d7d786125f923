import { parseBoc } from '@shardwalk/cells'
import { detectContract, isPlainWalletCode, methodIdsOf } from '@shardwalk/contracts'
import {
  type Db,
  type Examined,
  findAccountIds,
  loadContracts,
  type QueuedContract,
  type StoredContract,
} from '@shardwalk/db'
import { addressKey } from '@shardwalk/db/rows'
import { ACCOUNT_STATUS, IndexerError, type RawAddress, sameAddress } from '@shardwalk/model'
import { type LoadedContract, TvmContractReader, type TvmPool } from '@shardwalk/tvm'
import type { ContractEnvironment } from './environment.ts'
import type { FetchedState, StateSource } from './state-source.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')
/** Confirmed wallets remembered: their masters are not asked again while wallet, owner and the master's code stay the same. */
const MAX_CONFIRMED = 200_000

/** The source of states lags behind the blocks that are indexed. */
export class StateNotThere extends IndexerError {
  readonly code = 'state_not_there'
  readonly retry = 'later'
}

export interface ExaminerOptions {
  readonly db: Db
  readonly states: StateSource
  readonly pool: TvmPool
  readonly environment: ContractEnvironment
}

/** Says what contracts are. One a process; `open` makes the view that a batch of accounts shares. */
export class Examiner {
  readonly #confirmed = new Set<string>()

  constructor(private readonly options: ExaminerOptions) {}

  /** A reader over the newest states: those that are stored, else those of the network. */
  open(): TvmContractReader {
    const { pool, environment } = this.options
    return new TvmContractReader({
      pool,
      // Both grow while the reader is in use: a library may be met for the first time.
      get environment() {
        return environment.environment
      },
      get libraries() {
        return environment.libraries as NonNullable<typeof environment.libraries>
      },
      load: (address) => this.#load(address),
    })
  }

  /** Throws `StateNotThere` when the state cannot be had yet. */
  async examine(stored: QueuedContract, reader: TvmContractReader): Promise<Examined> {
    const complete = await this.#complete(stored)
    const { code, data, codeHash, dataHash } = complete
    const base = {
      accountId: stored.accountId,
      address: stored.address,
      queuedLt: stored.queuedLt,
      lt: complete.lt,
      codeHash,
      dataHash,
      ...(complete.isFetched && code && { code }),
      ...(complete.isFetched && data && { data }),
    }
    if (!code || !codeHash) return { ...base, found: [] }
    await this.options.environment.ensureLibrary(code)
    const methods = this.#methods(code)
    const known = { ...base, ...(methods && { methods }) }
    if (!data || !dataHash || isPlainWalletCode(codeHash)) return { ...known, found: [] }
    const contract = reader.open(toLoaded({ ...complete, code, data, codeHash, dataHash }))
    const found = await detectContract(contract, reader, {
      dnsZones: this.options.environment.dnsZones,
      isKnownJettonWallet: ({ owner, master }) =>
        this.#confirmed.has(confirmation(stored.address, owner, master.address, master.codeHash)),
    })
    for (const one of found)
      if (one.kind === 'jetton_wallet') await this.#remember(stored.address, one.owner, one.jetton, reader)
    return { ...known, found }
  }

  async #remember(wallet: RawAddress, owner: RawAddress, jetton: RawAddress, reader: TvmContractReader): Promise<void> {
    const master = await reader.find(jetton)
    if (!master) return
    if (this.#confirmed.size >= MAX_CONFIRMED) this.#confirmed.clear()
    this.#confirmed.add(confirmation(wallet, owner, jetton, master.codeHash))
  }

  #methods(code: Buffer): number[] | undefined {
    const bag = parseBoc(code)
    return methodIdsOf(bag.cell(bag.root), (hash) => this.options.environment.library(hash))
  }

  async #load(address: RawAddress): Promise<LoadedContract | undefined> {
    const { db, environment } = this.options
    const id = (await findAccountIds(db, [address])).get(addressKey(address))
    const stored = id === undefined ? undefined : (await loadContracts(db, [id]))[0]
    const complete =
      stored && sameAddress(stored.address, address) ? await this.#complete(stored) : await this.#fetch(address)
    if (!complete) return undefined
    const { code, data, codeHash, dataHash } = complete
    if (!code || !data || !codeHash || !dataHash) return undefined
    await environment.ensureLibrary(code)
    return toLoaded({ ...complete, code, data, codeHash, dataHash })
  }

  /** An account that no indexed block touched. */
  async #fetch(address: RawAddress): Promise<Complete | undefined> {
    const found = await this.options.states.account(address)
    return found && { ...fromNetwork(found), address, timestamp: this.options.environment.now }
  }

  /** The state with all its cells: as stored, else as the network has it now. */
  async #complete(stored: StoredContract): Promise<Complete> {
    const isWhole = (!stored.codeHash || stored.code) && (!stored.dataHash || stored.data)
    if (stored.status !== ACTIVE || isWhole) return { ...stored, isFetched: false }
    const found = await this.options.states.account(stored.address)
    if (!found || found.lt < stored.lt)
      throw new StateNotThere(`the network's state is of lt ${found?.lt ?? 0n}, lt ${stored.lt} is indexed`)
    const timestamp =
      found.lt === stored.lt ? stored.timestamp : Math.max(stored.timestamp, this.options.environment.now)
    return { ...fromNetwork(found), address: stored.address, timestamp }
  }
}

const fromNetwork = ({ state, lt }: FetchedState) => ({
  lt,
  balance: state.balance,
  codeHash: state.codeHash ?? null,
  dataHash: state.dataHash ?? null,
  code: state.code ?? null,
  data: state.data ?? null,
  isFetched: true,
})

interface Complete {
  readonly address: RawAddress
  readonly lt: bigint
  readonly balance: bigint
  readonly timestamp: number
  readonly codeHash: Buffer | null
  readonly dataHash: Buffer | null
  readonly code: Buffer | null
  readonly data: Buffer | null
  /** Not from the tables. */
  readonly isFetched: boolean
}

type Whole = Complete & { readonly [K in 'code' | 'data' | 'codeHash' | 'dataHash']: Buffer }

const toLoaded = ({ address, codeHash, dataHash, code, data, balance, timestamp }: Whole): LoadedContract => ({
  address,
  codeHash,
  dataHash,
  code,
  data,
  balance,
  now: timestamp,
})

const confirmation = (wallet: RawAddress, owner: RawAddress, master: RawAddress, masterCode: Buffer): string =>
  [addressKey(wallet), addressKey(owner), addressKey(master), masterCode.toString('latin1')].join('|')
