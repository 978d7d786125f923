import pg from 'pg'
import { SUPERUSER } from './data-folder.ts'

/** The server listens on loopback only. */
export const HOST = '127.0.0.1'
/** Name of the database in the embedded server. */
export const DATABASE = 'shardwalk'

/** Creates the database `DATABASE` if it is missing. */
export async function createDatabase(password: string, port: number): Promise<void> {
  await withClient(databaseUrl(password, port, 'postgres'), async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`)
  })
}

/** Undefined if the server answers and accepts the password. */
export async function connectionProblem(url: string): Promise<Error | undefined> {
  try {
    await withClient(url, (client) => client.query('select 1'))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** True if the server answered, and will answer the same however often it is asked. */
export const isWrongPassword = (problem: Error | undefined): boolean =>
  (problem as { code?: string } | undefined)?.code === INVALID_PASSWORD
const INVALID_PASSWORD = '28P01'

async function withClient(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** URL for the superuser. */
export const databaseUrl = (password: string, port: number, database: string): string =>
  `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${database}`
