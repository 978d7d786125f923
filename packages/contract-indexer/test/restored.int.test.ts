import type { ScratchDatabase } from '@shardwalk/testkit'
import {
  checksumsOfExamined,
  RecordedNetwork,
  refreshAll,
  sweptChain,
} from '@shardwalk/testkit/refresh-chain'
import pg from 'pg'
import { expect, test } from 'vitest'

/** Copies the database; the result puts the copy in its place, under the eyes of whoever is connected. */
async function backUp({ url }: ScratchDatabase): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1)
  const server = new URL(url)
  server.pathname = '/postgres'
  const run = async (statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: server.href })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  await run([`create database ${name}_copy template ${name}`])
  return () => run([`drop database ${name} with (force)`, `alter database ${name}_copy rename to ${name}`])
}

/** Examines the contracts of the recorded chain, harms the database, and expects the same once more. */
async function examinedAgain(
  harmOf: (scratch: ScratchDatabase) => Promise<() => Promise<unknown>>,
): Promise<void> {
  const network = await RecordedNetwork.open()
  const scratch = await sweptChain.indexed()
  const refresher = network.refresher(scratch)
  try {
    const harm = await harmOf(scratch)
    await refreshAll(refresher)
    const examined = await checksumsOfExamined(scratch)
    expect(examined).toMatchObject({ network_config: { rows: 1n } })
    await harm()
    expect(await checksumsOfExamined(scratch)).toMatchObject({ network_config: { rows: 0n } })
    await refreshAll(refresher)
    expect(await checksumsOfExamined(scratch)).toEqual(examined)
  } finally {
    await refresher.close()
    await scratch.close()
    await network.close()
  }
}

test('what a restored database lacks is written again by the process that wrote it before', () =>
  examinedAgain(backUp))

test('so is what tables lack that were restored in place, under open connections', () =>
  // As by `pg_restore --clean`, the table has another file afterwards.
  examinedAgain(
    async ({ pool }) =>
      () =>
        pool.query('truncate network_config'),
  ))
