import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseRoot } from '@shardwalk/cells'
import { methodIdsOf, PLAIN_WALLET_CODE_HASHES } from '@shardwalk/contracts'
import {
  checkedRows,
  createDb,
  type DatabaseHandle,
  derivedTables,
  loadCodesWithoutMethods,
  type TableChecksum,
  tableChecksums,
} from '@shardwalk/db'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { Recording, RecordingSource, record } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, prepareDataDir } from '@shardwalk/testkit'
import { sql } from 'kysely'
import { waitUntil } from './processes.ts'

/** A data folder that the embedded server, which runs as another user in containers, can enter. */
export async function makeDataDir(folders: string[]): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'shardwalk-kills-'))
  await chmod(dataDir, 0o755)
  folders.push(dataDir)
  return dataDir
}

/** The same with a server whose databases have all tables from the start. */
export async function makePreparedDataDir(folders: string[]): Promise<string> {
  const dataDir = await makeDataDir(folders)
  await prepareDataDir(dataDir)
  return dataDir
}

/** Folder of a recording of the sample's first blocks, up to and with `to`. */
export async function beginningOfSample(folders: string[], to: number): Promise<string> {
  const folder = await makeDataDir(folders)
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  await record({ source: new RecordingSource(recording), folder, from: 1, to, proofs: 'all' })
  await recording.close()
  return folder
}

export type Checksums = Readonly<Record<string, TableChecksum>>

/** Of a folder whose server does not run. */
export const checksumsIn = (dataDir: string): Promise<Checksums> =>
  whileStarted(dataDir, async ({ db }) =>
    Object.fromEntries(await tableChecksums(db, await derivedTables(db))),
  )

/** Prints some rows that only one of two folders has, of each table whose checksums differ. */
export async function printDifferences(
  folders: readonly [string, string],
  [expected, found]: readonly [Checksums, Checksums],
): Promise<void> {
  const tables = Object.keys(found).filter((name) => expected[name]?.checksum !== found[name]?.checksum)
  if (tables.length === 0) return
  const [ours, theirs] = await Promise.all(
    folders.map((folder) =>
      whileStarted(folder, async ({ db }) => {
        const rows = new Map<string, ReadonlySet<string>>()
        for (const table of tables) rows.set(table, new Set(await checkedRows(db, table)))
        return rows
      }),
    ),
  )
  for (const table of tables) {
    const only = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
      [...a].filter((row) => !b.has(row)).slice(0, SHOWN_ROWS)
    for (const row of only(ours!.get(table)!, theirs!.get(table)!)) console.log(`${table}, missing: ${row}`)
    for (const row of only(theirs!.get(table)!, ours!.get(table)!)) console.log(`${table}, added: ${row}`)
  }
}

const SHOWN_ROWS = 4

/** Starts the server of a folder for some work on its database. */
async function whileStarted<T>(dataDir: string, work: (database: DatabaseHandle) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDir })
  try {
    return await withDatabase(server.url, work)
  } finally {
    await server.stop()
  }
}

/** Works on the database of a folder whose server runs. */
export async function whileRunning<T>(
  dataDir: string,
  work: (database: DatabaseHandle) => Promise<T>,
): Promise<T> {
  const server = await findEmbeddedPostgres(dataDir)
  if (!server) throw new Error('PostgreSQL is not running')
  return withDatabase(server.url, work)
}

/** Contracts are examined and traces classified after indexing, which adds accounts, codes and states. */
export const untilNothingWaits = (dataDir: string): Promise<void> =>
  whileRunning(dataDir, async ({ db }) => {
    let waiting: bigint | undefined
    const isIdle = async () => {
      const { rows } = await sql<{ waiting: bigint }>`
        select (select count(*) from refresh_queue) + (select count(*) from event_queue)
          + (select count(*) from naming_queue)
          + (select count(*) from unclassified_traces) + (select count(*) from changed_facts) as waiting
      `.execute(db)
      waiting = rows[0]?.waiting
      return waiting === 0n && !(await areMethodsMissing(db))
    }
    const seen = () => `${waiting} still waiting`
    const wait = { everyMs: 400, seen }
    await waitUntil('contracts, batches and traces are examined', isIdle, wait)
  })

/** Plain wallets wait in no queue: the next round stores the get-methods of their codes. */
async function areMethodsMissing(db: DatabaseHandle['db']): Promise<boolean> {
  const codes = await loadCodesWithoutMethods(db, PLAIN_WALLET_CODE_HASHES)
  return codes.some(({ code }) => {
    return methodIdsOf(parseRoot(code)) !== undefined
  })
}

async function withDatabase<T>(
  serverUrl: string,
  work: (database: DatabaseHandle) => Promise<T>,
): Promise<T> {
  const database = open(await databaseUrl(serverUrl))
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const open = (url: string) => createDb({ url, statementTimeoutMs: 60_000, connectTimeoutMs: 10_000 })

/** URL of the one database of a network on an embedded server. */
export async function databaseUrl(serverUrl: string): Promise<string> {
  const server = open(serverUrl)
  const { rows } = await server.pool
    .query<{ datname: string }>(`select datname from pg_database where datname like 'shardwalk\\_%'`)
    .finally(() => server.close())
  const url = new URL(serverUrl)
  url.pathname = `/${rows[0]!.datname}`
  return url.href
}
