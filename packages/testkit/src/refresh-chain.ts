import {
  ContractRefresher,
  liteServerStates,
  openTvm,
  type RefresherOptions,
  type StateSource,
} from '@shardwalk/contract-indexer'
import {
  BatchSink,
  CLASSIFIED_TABLES,
  claimContracts,
  classifyWaiting,
  type DatabaseHandle,
  derivedTables,
  type EncodedBatch,
  encodeBatch,
  QueueClassifier,
  queueTracesOfChangedFacts,
  type TableChecksum,
  tableChecksums,
} from '@shardwalk/db'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { silentLogger } from '@shardwalk/observability'
import { startReplay } from '@shardwalk/replay'
import { LiteserverSource, Recording } from '@shardwalk/sources'
import { sql } from 'kysely'
import {
  FIXTURE_CHAIN_FOLDER,
  fixtureChain,
  MIGRATED,
  SAMPLE_CHAIN,
  type ScratchDatabase,
  scratchDatabase,
  type Template,
} from './index.ts'
import { isLong } from './runs.ts'

interface RefresherSources {
  readonly states: StateSource | undefined
  readonly source?: RefresherOptions['source']
  readonly lease?: NonNullable<RefresherOptions['lease']>
}

/** Of all refreshers in this process: each thread would compile its methods again. */
let tvm: ReturnType<typeof openTvm> | undefined

/** A recorded chain behind a lite server that stands at its end. */
export class RecordedNetwork {
  /** States that the lite server was asked for. */
  statesAsked = 0

  private constructor(
    private readonly recording: Recording,
    private readonly replay: Awaited<ReturnType<typeof startReplay>>,
    readonly pool: LiteServerPool,
    readonly source: LiteserverSource,
  ) {}

  /** Default: the sample. */
  static async open(folder = FIXTURE_CHAIN_FOLDER): Promise<RecordedNetwork> {
    const recording = await Recording.open(folder)
    const replay = await startReplay({ recording })
    const { zeroState, liteServers } = parseGlobalConfig(replay.globalConfig)
    const pool = new LiteServerPool({ servers: liteServers, zeroState })
    return new RecordedNetwork(
      recording,
      replay,
      pool,
      new LiteserverSource(pool, { zerostateId: zeroState }),
    )
  }

  /** `states`: undefined for a chain that comes from files. */
  refresher(
    database: DatabaseHandle,
    { states, source = this.source, ...lease }: RefresherSources = { states: this.states() },
  ): ContractRefresher {
    tvm ??= openTvm(1)
    return new ContractRefresher({ database, source, states, threads: 1, tvm, log: silentLogger, ...lease })
  }

  private states(): StateSource {
    const { account, libraries } = liteServerStates(this.pool)
    return {
      libraries,
      account: (address, at) => {
        this.statesAsked++
        return account(address, at)
      },
    }
  }

  async close(): Promise<void> {
    await this.source.close()
    await this.replay.close()
    await this.recording.close()
  }
}

/** The first batches of the recorded chain: the files of a worker share them. */
const encoded: EncodedBatch[] = []
let encoding: Promise<void> = Promise.resolve()

/** Batches of the recorded chain, in order; callers must not change them. Default: all. */
export async function recordedBatches(range: { to?: number } = {}): Promise<EncodedBatch[]> {
  encoding = encoding.then(async () => {
    const last = encoded.at(-1)?.mcBlockSeqno
    for await (const { batch, globalVersion } of fixtureChain({ ...range, ...(last && { from: last + 1 }) }))
      encoded.push(encodeBatch(batch, { globalVersion }))
  })
  await encoding
  const { to = Number.POSITIVE_INFINITY } = range
  return encoded.filter(({ mcBlockSeqno }) => mcBlockSeqno <= to)
}

/** Groups of batches, committed one after the other; between them `between` may do what it likes. */
export async function commitGroups(
  scratch: ScratchDatabase,
  groups: readonly (readonly EncodedBatch[])[],
  between: (index: number) => Promise<void> = async () => {},
): Promise<void> {
  const sink = new BatchSink(scratch.pool)
  for (const [index, group] of groups.entries()) {
    await sink.commitBatches(group)
    await between(index)
  }
}

export async function refreshAll(refresher: ContractRefresher): Promise<void> {
  while (await refresher.round());
}

/** Examines every contract. Returns how many states the lite server was asked for. Default: the sample. */
async function examineAll(database: DatabaseHandle, folder?: string): Promise<number> {
  const network = await RecordedNetwork.open(folder)
  const refresher = network.refresher(database)
  try {
    await refreshAll(refresher)
  } finally {
    await refresher.close()
    await network.close()
  }
  return network.statesAsked
}

/** Every contract of the chain examined. All states are in its blocks and zerostates. */
const examined = (base: Template): Template => ({
  name: `${base.name}_examined`,
  base,
  async build(database) {
    const statesAsked = await examineAll(database)
    if (statesAsked > 0) throw new Error(`${statesAsked} states were not found in the blocks and zerostates`)
    await sql`vacuum analyze`.execute(database.db)
  },
})

/** The same, every trace classified with what is known of the contracts. */
const classified = (base: Template): Template => ({
  name: `${base.name}_classified`,
  base,
  async build(database) {
    await classifyAll(database)
    await sql`vacuum analyze`.execute(database.db)
  },
})

/** From this block on, masters and collections have no transaction. */
export const LATE_START = 300

/** The blocks from there on, and their contracts; lite servers have what these blocks do not. */
const EXAMINED_END: Template = {
  name: 'end_examined',
  base: MIGRATED,
  async build(database) {
    const sink = new BatchSink(database.pool)
    for (const group of inGroups((await recordedBatches()).slice(LATE_START - 1), 40))
      await sink.commitBatches(group)
    await examineAll(database)
  },
}
export const examinedEnd = (): Promise<ScratchDatabase> => scratchDatabase({ template: EXAMINED_END })

const EXAMINED_CHAIN = examined(SAMPLE_CHAIN)
const CLASSIFIED_CHAIN = classified(EXAMINED_CHAIN)

export const examinedChain = (): Promise<ScratchDatabase> => scratchDatabase({ template: EXAMINED_CHAIN })
export const classifiedChain = (): Promise<ScratchDatabase> => scratchDatabase({ template: CLASSIFIED_CHAIN })

/** Have a third of the transactions, most of the contracts and all accounts that ended. */
const FIRST_BLOCKS = 100

const FIRST: Template = {
  name: 'first',
  base: MIGRATED,
  async build({ pool, db }) {
    await new BatchSink(pool).commitBatches(await recordedBatches({ to: FIRST_BLOCKS }))
    await sql`vacuum analyze`.execute(db)
  },
}
const EXAMINED_FIRST = examined(FIRST)
const CLASSIFIED_FIRST = classified(EXAMINED_FIRST)

/**
 * What tests go through in many orders and with many interruptions: the whole chain if tests are long,
 * otherwise its first blocks.
 */
export const sweptChain = {
  batches: (): Promise<EncodedBatch[]> => recordedBatches(isLong ? {} : { to: FIRST_BLOCKS }),
  indexed: (): Promise<ScratchDatabase> => scratchDatabase({ template: isLong ? SAMPLE_CHAIN : FIRST }),
  examined: (): Promise<ScratchDatabase> =>
    scratchDatabase({ template: isLong ? EXAMINED_CHAIN : EXAMINED_FIRST }),
  classified: (): Promise<ScratchDatabase> =>
    scratchDatabase({ template: isLong ? CLASSIFIED_CHAIN : CLASSIFIED_FIRST }),
}

/** The same of the first blocks, up to and with `to`; `folder` has a recording of them. */
export async function classifiedBeginning(folder: string, to: number): Promise<ScratchDatabase> {
  const database = await scratchDatabase()
  await commitGroups(database, inGroups(await recordedBatches({ to }), 40))
  await examineAll(database, folder)
  await classifyAll(database)
  return database
}

export const inGroups = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )

/** Takes accounts and dies: nothing is written, the lease stays. */
export const abandonSome = (scratch: ScratchDatabase) =>
  claimContracts(scratch.db, { limit: 40, leaseSeconds: 60 })

/** What the passing of time does. */
export async function endLeases(scratch: ScratchDatabase): Promise<void> {
  await sql`update refresh_queue set leased_until = null`.execute(scratch.db)
  await sql`update event_queue set leased_until = null`.execute(scratch.db)
}

/** Checksums of every table that follows from the blocks, and of those derived by classification. */
export async function checksumsOfAll({ db }: ScratchDatabase): Promise<Record<string, TableChecksum>> {
  return Object.fromEntries(await tableChecksums(db, await derivedTables(db)))
}

/** The same where traces are not classified. */
export async function checksumsOfExamined({ db }: ScratchDatabase): Promise<Record<string, TableChecksum>> {
  const classified: readonly string[] = CLASSIFIED_TABLES
  const tables = (await derivedTables(db)).filter((table) => !classified.includes(table))
  return Object.fromEntries(await tableChecksums(db, tables))
}

/** Where contracts are not examined: actions are derived from what the messages say. */
export async function classifyWithoutFacts({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<void> {
  while ((await classifyWaiting(pool, { limit: 1000, waitForFacts: false })).traces > 0);
}

/** Classifies what waits, traces of contracts whose facts changed included. */
export async function classifyAll({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<void> {
  const classifier = new QueueClassifier(pool)
  do {
    while ((await classifier.round()).traces > 0);
  } while (await queueTracesOfChangedFacts(pool))
}
