import { loadStateAfter } from '@shardwalk/blocks'
import { parseBoc, type Slice } from '@shardwalk/cells'
import {
  type DatabaseHandle,
  type Db,
  findAccountIds,
  offerCurrencies,
  type SeedState,
  seedStates,
} from '@shardwalk/db'
import { addressKey } from '@shardwalk/db/rows'
import {
  type AccountId,
  type AccountStateAfter,
  type BlockId,
  extraCurrencyTexts,
  FULL_SHARD,
  fitsInt64,
  formatBlockId,
  MASTERCHAIN,
  shardToSigned,
  type Workchain,
} from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import {
  forEachShardAccount,
  loadShardState,
  loadStateConfig,
  type ShardState,
  workchainZerostates,
} from '@shardwalk/tlb'
import { sql } from 'kysely'
import type { ChainSource } from './environment.ts'

interface Options {
  readonly database: Pick<DatabaseHandle, 'db' | 'pool'>
  readonly source: Pick<ChainSource, 'zerostateId' | 'getZerostate'>
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Writes the accounts of zerostates, each once until `forget`: those of genesis when block 1 is indexed,
 * those of a workchain that began later when its first block is. Without it blocks may have changed them.
 * Zerostates that the source lacks are left out, and accounts that cannot be read or stored.
 */
export class ZerostateSeeder {
  private readonly done = new Set<Workchain>()
  /** Extra currencies of their accounts. */
  private readonly currencies = new Map<AccountId, Readonly<Record<string, string>>>()

  constructor(private readonly options: Options) {}

  /** `begun`: zerostates of the workchains that have begun, by the newest configuration. */
  async seed(begun: readonly BlockId[]): Promise<void> {
    await this.seedNew(begun)
    // Again and again, because the blocks after the first ones are indexed in any order.
    await offerCurrencies(this.options.database.pool, this.currencies)
  }

  /** The accounts may have to be written again. */
  forget(): void {
    this.done.clear()
  }

  private async seedNew(begun: readonly BlockId[]): Promise<void> {
    const masterchain = { workchain: MASTERCHAIN }
    const waiting = [masterchain, ...begun].filter(({ workchain }) => !this.done.has(workchain))
    if (waiting.length === 0) return
    const { database, source } = this.options
    const indexed = await indexedFromTheFirstBlock(
      database.db,
      waiting.map(({ workchain }) => workchain),
    )
    if (indexed.has(MASTERCHAIN)) await this.seedGenesis(await source.zerostateId())
    for (const id of begun) if (indexed.has(id.workchain)) await this.seedOne(id)
  }

  /** Its configuration is what the workchains began with. It goes last, so that what failed is done again. */
  private async seedGenesis(masterchain: BlockId): Promise<void> {
    const state = await this.load(masterchain)
    if (state?.custom) {
      const config = loadStateConfig(state.custom.loadRefSlice())
      for (const id of workchainZerostates(config, state.genUtime)) await this.seedOne(id)
    }
    await this.write(masterchain, state)
  }

  private async seedOne(id: BlockId): Promise<void> {
    if (!this.done.has(id.workchain)) await this.write(id, await this.load(id))
  }

  private async load(id: BlockId): Promise<ShardState | undefined> {
    const file = await this.options.source.getZerostate(id)
    if (!file) return undefined
    try {
      const bag = parseBoc(file)
      return loadShardState(bag.slice(bag.root))
    } catch (error) {
      this.options.log.warn('a zerostate is left out', { id: formatBlockId(id), error })
      return undefined
    }
  }

  private async write(id: BlockId, state: ShardState | undefined): Promise<void> {
    const { database, log } = this.options
    if (state) {
      const { found, lost, error } = accountsOf(state, id.workchain)
      if (lost > 0) log.warn('accounts of a zerostate are left out', { id: formatBlockId(id), lost, error })
      await seedStates(database.pool, found)
      await this.noteCurrencies(found)
    }
    this.done.add(id.workchain)
  }

  private async noteCurrencies(found: readonly SeedState[]): Promise<void> {
    const rich = found.filter(({ state }) => state.extraCurrencies)
    const ids = await findAccountIds(
      this.options.database.db,
      rich.map(({ address }) => address),
    )
    for (const { address, state } of rich)
      this.currencies.set(ids.get(addressKey(address))!, extraCurrencyTexts(state.extraCurrencies!))
  }
}

/** Those of the workchains whose first block is indexed, and all if the masterchain's is. */
async function indexedFromTheFirstBlock(
  db: Db,
  workchains: readonly Workchain[],
): Promise<ReadonlySet<Workchain>> {
  const { rows } = await sql<{ workchain: Workchain }>`
    select workchain from unnest(${workchains}::int4[]) as wanted (workchain)
    where (select min(from_seqno) from indexed_ranges) <= 1 or exists (
      select from blocks b where b.workchain = wanted.workchain
        and b.shard = ${shardToSigned(FULL_SHARD)}::int8 and b.seqno = 1
    )`.execute(db)
  return new Set(rows.map(({ workchain }) => workchain))
}

interface AccountsFound {
  readonly found: SeedState[]
  /** Accounts, or parts of the dictionary, that cannot be read or stored. */
  lost: number
  /** Error of the last one that was lost. */
  error: unknown
}

/** Source: block.tlb `ShardStateUnsplit`, `ShardAccounts`. */
function accountsOf(state: ShardState, workchain: Workchain): AccountsFound {
  const accounts: AccountsFound = { found: [], lost: 0, error: undefined }
  const keep = (visit: () => void) => {
    try {
      visit()
    } catch (error) {
      // Whatever it is, the same bytes cause it again.
      accounts.lost++
      accounts.error = error
    }
  }
  const read = (account: Slice, accountId: Buffer) =>
    accounts.found.push({
      address: { workchain, hash: Buffer.from(accountId) },
      state: storable(loadStateAfter(account.preloadRefSlice())),
      stateHash: Buffer.from(account.refHash()),
      timestamp: state.genUtime,
    })
  keep(() => forEachShardAccount(state, ({ account }, accountId) => keep(() => read(account, accountId))))
  return accounts
}

function storable(state: AccountStateAfter): AccountStateAfter {
  if (fitsInt64(state.balance)) return state
  throw new RangeError(`${state.balance} does not fit a column of 64 bits`)
}
