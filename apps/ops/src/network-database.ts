import { createDb } from '@shardwalk/db'
import type { NetworkChoice } from '@shardwalk/networks'
import { withDbRetry } from './with-db.ts'

const databaseName = (network: NetworkChoice): string => `shardwalk_${network.slug}`

function withName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.toString()
}

/** URL of the network's database on an embedded server; undefined if there is none. */
export async function findNetworkDatabase(
  serverUrl: string,
  network: NetworkChoice,
): Promise<string | undefined> {
  const name = databaseName(network)
  const { rowCount } = await withDbRetry(serverUrl, ({ pool }) =>
    pool.query('select 1 from pg_database where datname = $1', [name]),
  )
  return rowCount === 0 ? undefined : withName(serverUrl, name)
}

/** One database per network in the embedded server, so that data of different networks never mix. */
export async function networkDatabase(serverUrl: string, network: NetworkChoice): Promise<string> {
  const name = databaseName(network)
  const { pool, close } = createDb({ url: serverUrl, max: 1 })
  try {
    const found = await pool.query('select 1 from pg_database where datname = $1', [name])
    // The slug contains only letters, digits and underscores.
    if (found.rowCount === 0) await pool.query(`create database "${name}"`)
  } catch (error) {
    // 42P04, 23505: another process was faster.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await close()
  }
  return withName(serverUrl, name)
}
