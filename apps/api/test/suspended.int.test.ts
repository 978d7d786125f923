import { Builder, buildDict, type Cell, serializeBoc } from '@shardwalk/cells'
import { HeadFollowedMark, storeNetworkConfig } from '@shardwalk/db'
import { sampleChainDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { LITE_SERVER_ROUTES } from '../src/v3/routes/lite-servers.ts'
import { Client, type Json } from './client.ts'

// Accounts that configuration parameter 44 suspends, which no recorded network has.

const GIVER = '0:E46A3418FC55D04233556C7147ED1C8EFCE8BB25778C4748F3F0053B0EBA7225'
const OTHER = '0:8D45B59C3C3AA082746777093179B3194C73F5BE118BB99761E4BA189A79C53E'
/** Of the newest block. */
const NEWEST = 1_795_262_688

/** block.tlb `suspended_address_list#00 addresses:(HashmapE 288 Unit) suspended_until:uint32`. */
function configuration(until: number): Cell {
  const addresses = buildDict([[BigInt(`0x${GIVER.slice(2)}`), new Builder()]], 288)
  const list = new Builder().storeUint(0, 8).storeMaybeRef(addresses).storeUint(until, 32).endCell()
  return buildDict([[44n, new Builder().storeRef(list)]], 32)!
}

async function suspendedUntil(until: number): Promise<Readonly<Record<string, unknown>>> {
  const scratch = await sampleChainDatabase()
  try {
    // A former version stored less of the same key block.
    await storeNetworkConfig(scratch.db, { keyBlockSeqno: 1, boc: serializeBoc(new Builder().endCell()) })
    await storeNetworkConfig(scratch.db, { keyBlockSeqno: 1, boc: serializeBoc(configuration(until)) })
    await storeNetworkConfig(scratch.db, { keyBlockSeqno: 0, boc: serializeBoc(new Builder().endCell()) })
    await scratch.pool.query(
      'insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, 529, 1, now())',
    )
    const ingest = new HeadFollowedMark(scratch.pool)
    await ingest.set(true)
    const client = await Client.start(scratch)
    const alone = async (path: string) => {
      const replies = [GIVER, OTHER].map(async (address) => (await client.get(path, { address })).body)
      return (await Promise.all(replies)).map(({ status, suspended }) => [status, suspended])
    }
    const read = async (path: string, list: string) => {
      const { body } = await client.get(path, { address: [GIVER, OTHER] })
      return (body[list] as Json[]).map((row) => [row['address'], row['suspended']])
    }
    const found = {
      accounts: await read('accountStates', 'accounts'),
      wallets: await read('walletStates', 'wallets'),
      account: await alone('addressInformation'),
      wallet: await alone('walletInformation'),
    }
    await ingest.close()
    await client.close()
    return found
  } finally {
    await scratch.close()
  }
}

test('an account that the configuration suspends is shown as such, until that time', async () => {
  const rows = (suspended?: boolean) => [
    [GIVER, suspended],
    [OTHER, undefined],
  ]
  const found = (suspended?: boolean) => {
    const alone = [
      ['active', suspended],
      ['active', undefined],
    ]
    return { accounts: rows(suspended), wallets: rows(suspended), account: alone, wallet: alone }
  }
  expect(await suspendedUntil(NEWEST + 1)).toEqual(found(true))
  expect(await suspendedUntil(NEWEST)).toEqual(found())
})

test('so it is when a lite server is asked, also if the account never existed', async () => {
  const address = { workchain: 0, hash: Buffer.from(GIVER.slice(2), 'hex') }
  const block = { seqno: 1 }
  const never = { address, block, balance: 0n, lastTransLt: 0n, lastTransHash: Buffer.alloc(32) }
  const at = (utime: number) => ({
    blocks: { masterchain: async () => block },
    accounts: { at: async () => ({ ...never, utime, state: 'uninitialized' }) },
    configuration: { at: async () => ({ root: configuration(NEWEST).slice() }) },
  })
  for (const name of ['addressInformation', 'account', 'walletInformation', 'wallet']) {
    const route = LITE_SERVER_ROUTES.find(({ path }) => path === `/api/v3/${name}`)
    const ask = (utime: number) => (route as unknown as Handling).handle(at(utime), { address })
    expect(await ask(NEWEST - 1)).toMatchObject({ status: 'uninit', suspended: true })
    expect(await ask(NEWEST)).not.toHaveProperty('suspended')
  }
})

interface Handling {
  handle(node: object, query: object): Promise<object>
}
