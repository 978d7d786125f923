import { CELL, parseBoc, parseRoot } from '@shardwalk/cells'
import {
  type DnsZone,
  detectContract,
  findDnsZones,
  isPlainWalletCode,
  methodIdsOf,
  PLAIN_WALLET_CODE_HASHES,
  reliedAnswers,
} from '@shardwalk/contracts'
import {
  type Db,
  type Examined,
  type HeldCells,
  loadCodesWithoutMethods,
  loadFormerState,
  missingLibrary,
  missingState,
  type QueuedContract,
  type StoredContract,
  storeMethods,
} from '@shardwalk/db'
import { addressKey } from '@shardwalk/db/rows'
import { ACCOUNT_STATUS, type RawAddress, RecentSet, sameAddress } from '@shardwalk/model'
import { type LoadedContract, TvmContractReader, type TvmPool } from '@shardwalk/tvm'
import type { ContractEnvironment } from './environment.ts'
import { type Complete, StateLoader, StateMissing } from './state-loader.ts'
import type { StateSource } from './state-source.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')
/**
 * Jetton wallets that their masters confirmed. They are not asked again while wallet, owner and master stay
 * the same.
 */
const MAX_CONFIRMED = 200_000

export interface ExaminerOptions {
  readonly db: Db
  /** Undefined when the chain comes from files. */
  readonly states: StateSource | undefined
  readonly pool: TvmPool
  readonly environment: ContractEnvironment
}

/** Determines what contracts are. One per process; `open` loads the states shared by a batch of accounts. */
export class Examiner {
  private readonly confirmed = new RecentSet<string>(MAX_CONFIRMED)
  /** Codes of plain wallets whose get-methods are not stored yet. */
  private walletCodes = new Set(PLAIN_WALLET_CODE_HASHES)

  constructor(private readonly options: ExaminerOptions) {}

  /** Loads the newest states of accounts: stored ones, else those of the network. */
  open(): StateLoader {
    return new StateLoader(this.options)
  }

  /**
   * The roles of a contract. Throws `StateMissing` or `StateNotThere` when its state is not available yet,
   * and `MethodNotRun` when a run reached its time limit, as may happen on a busy machine.
   */
  async examine(stored: QueuedContract, states: StateLoader): Promise<Examined> {
    const view = new View(this.options, states)
    const zonesSeen = this.options.environment.dnsZones
    const base = { ...pick(stored), found: [], asked: [], zonesSeen }
    if (stored.status !== ACTIVE) {
      const former = await this.formerOf(stored, view)
      return { ...base, lt: stored.lt, codeHash: null, dataHash: null, ...former, ...view.findings() }
    }
    const complete = await states.complete(stored)
    const { found, answers } = await this.detect(complete, view)
    return {
      ...base,
      lt: complete.lt,
      codeHash: complete.codeHash,
      ...this.cellsOf(complete),
      found,
      ...(answers !== undefined && { answers }),
      ...(await this.zonesOf(stored, view)),
      ...view.findings(),
    }
  }

  /** The get-methods of plain wallets may have to be stored again. */
  forget(): void {
    this.walletCodes = new Set(PLAIN_WALLET_CODE_HASHES)
  }

  /** Stores the get-methods of plain wallets: these are rarely examined. */
  async storeWalletMethods(): Promise<void> {
    for (const { codeHash, code } of await loadCodesWithoutMethods(this.options.db, [...this.walletCodes])) {
      // Whether a library is at hand already depends on what was examined before.
      const isThere = await this.ensureCode(code)
      const methods = isThere ? this.methods(code) : undefined
      if (methods) await storeMethods(this.options.db, { codeHash, methods })
      if (!isThere) continue
      for (const hash of this.walletCodes) if (hash.equals(codeHash)) this.walletCodes.delete(hash)
    }
  }

  private async ensureCode(code: Buffer): Promise<boolean> {
    const view = new View(this.options, this.open())
    await view.ensureCode(code)
    return view.findings().missing === undefined
  }

  /** Zones in the newest state of the DNS root; undefined when the network has none. Throws as `examine`. */
  async zones(): Promise<{ root: RawAddress; lt: bigint; zones: readonly DnsZone[] } | undefined> {
    const root = this.options.environment.dnsRoot()
    if (!root) return undefined
    const view = new View(this.options, this.open())
    const contract = await view.reader.find(root)
    const { lt } = await view.states.load(root)
    return { root, lt, zones: contract ? await findDnsZones(contract, view.reader) : [] }
  }

  /** Empty when the contract is not the DNS root. */
  private async zonesOf({ address }: StoredContract, view: View): Promise<Pick<Examined, 'zones'>> {
    const root = this.options.environment.dnsRoot()
    if (!root || !sameAddress(address, root)) return {}
    const contract = await view.reader.find(root)
    return { zones: contract ? await findDnsZones(contract, view.reader) : [] }
  }

  /** What a destroyed account was in its last indexed active state. */
  private async formerOf(stored: StoredContract, view: View): Promise<Pick<Examined, 'former' | 'missing'>> {
    const former = await loadFormerState(this.options.db, stored)
    if (!former?.codeHash || isPlainWalletCode(former.codeHash)) return {}
    const { lt, codeHash } = former
    const complete = await view.states.completeLocally(former).catch((error: unknown) => {
      if (error instanceof StateMissing) return error
      throw error
    })
    if (complete instanceof StateMissing)
      return { missing: missingState(`lt ${lt}, before the account ended`, complete.lacking) }
    const { found } = await this.detect(complete, view)
    return { former: { lt, codeHash, found, ...this.cellsOf(complete) } }
  }

  private async detect(complete: Complete, view: View): Promise<Pick<Examined, 'found' | 'answers'>> {
    const { code, data, codeHash, dataHash, address } = complete
    if (!code || !codeHash) return { found: [] }
    await view.ensureCode(code)
    if (!data || !dataHash || isPlainWalletCode(codeHash)) return { found: [] }
    const contract = view.reader.open({
      ...complete,
      now: complete.timestamp,
      code,
      data,
      codeHash,
      dataHash,
    })
    const found = await detectContract(contract, view.reader, {
      dnsZones: this.options.environment.dnsZones,
      isKnownJettonWallet: ({ owner, master }) =>
        this.confirmed.has(confirmation(address, owner, master.address, view)),
    })
    for (const one of found)
      if (one.kind === 'jetton_wallet') this.confirmed.add(confirmation(address, one.owner, one.jetton, view))
    const answers = await reliedAnswers(contract, view.reader, found)
    return { found, ...(answers !== undefined && { answers }) }
  }

  /** What is stored of a state beside the roles. */
  private cellsOf({ code, data, dataHash, isNew }: Complete): HeldCells {
    const methods = code ? this.methods(code) : undefined
    return {
      dataHash,
      ...(isNew && code && { code }),
      ...(isNew && data && { data }),
      ...(methods && { methods }),
    }
  }

  private methods(code: Buffer): number[] | undefined {
    return methodIdsOf(parseRoot(code), (hash) => this.options.environment.library(hash))
  }
}

/** Other contracts as one examination sees them; keeps which ones it asked. */
class View {
  readonly reader: TvmContractReader
  private readonly asked = new Map<string, Examined['asked'][number]>()
  private readonly libraries = new Set<string>()

  constructor(
    private readonly options: Pick<ExaminerOptions, 'pool' | 'environment'>,
    readonly states: StateLoader,
  ) {
    const { pool, environment } = options
    this.reader = new TvmContractReader({
      pool,
      isPatient: true,
      environmentFor: (codeHash, isWhole) => environment.environmentFor(codeHash, isWhole),
      findLibrary: (hash) => environment.library(hash),
      load: (address) => this.load(address),
      library: (hash, codeHash) => this.library(hash, codeHash),
    })
  }

  /** Code may be a library cell, which names the code that runs. */
  async ensureCode(code: Uint8Array): Promise<void> {
    const bag = parseBoc(Buffer.from(code))
    if (bag.type(bag.root) === CELL.library)
      await this.library(bag.cell(bag.root).exoticSlice().skip(8).loadBytes(32), bag.hash(bag.root))
  }

  confirmationHash(address: RawAddress): string | null {
    return this.states.confirmationHash(address)
  }

  findings(): Pick<Examined, 'asked' | 'missing'> {
    const [library] = this.libraries
    return { asked: [...this.asked.values()], ...(library && { missing: missingLibrary(library) }) }
  }

  private async load(address: RawAddress): Promise<LoadedContract | undefined> {
    const { contract, lt } = await this.states.load(address)
    this.asked.set(addressKey(address), { address, lt, confirmationHash: this.confirmationHash(address) })
    if (contract) await this.ensureCode(contract.code)
    return contract
  }

  private async library(hash: Buffer, codeHash: Buffer): Promise<boolean> {
    const isThere = await this.options.environment.ensureLibrary(hash, codeHash)
    if (!isThere) this.libraries.add(hash.toString('hex'))
    return isThere
  }
}

const pick = ({ accountId, address, queuedLt, requeues }: QueuedContract) => ({
  accountId,
  address,
  queuedLt,
  requeues,
})

const confirmation = (wallet: RawAddress, owner: RawAddress, master: RawAddress, view: View): string =>
  [addressKey(wallet), addressKey(owner), addressKey(master), view.confirmationHash(master)].join('|')
