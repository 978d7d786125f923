import { Builder, buildDict, type Cell, parseRoot } from '@shardwalk/cells'
import { addressValue, type ContractState, readStack } from '@shardwalk/contracts'
import { type Db, loadCodes, loadContracts, readNetworkConfig } from '@shardwalk/db'
import type { AccountId, RawAddress } from '@shardwalk/model'
import { slimConfig, TvmContractReader, type TvmEnvironment, type TvmPool } from '@shardwalk/tvm'

/**
 * Derives the wallet of an owner, deployed or not, by running the get-method of the master on its latest
 * state.
 */
export class WalletFinder {
  private constructor(
    private readonly reader: TvmContractReader,
    private readonly master: ContractState,
  ) {}

  /**
   * Undefined if the state of the master or the configuration of the network is not known. `pool` needs no
   * cache, because every owner is queried once.
   */
  static async open(db: Db, masterId: AccountId, pool: TvmPool): Promise<WalletFinder | undefined> {
    const [stored] = await loadContracts(db, [masterId])
    const network = await readNetworkConfig(db)
    if (!network || !stored?.code || !stored.data || !stored.codeHash || !stored.dataHash) return undefined
    const { address, code, data, codeHash, dataHash, balance, timestamp: now } = stored
    const libraries = new Libraries(db, pool, slimConfig(parseRoot(network.boc)))
    const reader = new TvmContractReader({
      pool,
      environmentFor: () => libraries.environment,
      load: async () => undefined,
      library: (hash) => libraries.add(hash),
    })
    return new WalletFinder(reader, reader.open({ address, code, data, codeHash, dataHash, balance, now }))
  }

  /** Undefined if the master does not answer for this owner. */
  async walletOf(owner: RawAddress): Promise<RawAddress | undefined> {
    const answer = await this.reader.run(this.master, 'get_wallet_address', [addressValue(owner)])
    return readStack(answer, { wallet: 'address' })?.wallet
  }
}

/** Code published as libraries, as far as it is stored. */
class Libraries {
  private readonly known: (readonly [Buffer, Builder])[] = []
  environment: TvmEnvironment

  constructor(
    private readonly db: Db,
    private readonly pool: TvmPool,
    private readonly config: Cell,
  ) {
    this.environment = pool.environment({ config })
  }

  async add(hash: Buffer): Promise<boolean> {
    const [boc] = await loadCodes(this.db, [hash])
    if (!boc) return false
    this.known.push([hash, new Builder().storeRef(parseRoot(boc))])
    const libraries = buildDict(this.known, 256)
    this.environment = this.pool.environment({ config: this.config, ...(libraries && { libraries }) })
    return true
  }
}
