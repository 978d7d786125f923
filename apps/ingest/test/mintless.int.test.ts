import { serializeBoc } from '@shardwalk/cells'
import { prolongAirdrop, readNetworkConfig, seedStates, writeAirdrop } from '@shardwalk/db'
import { deriveAccountId, type RawAddress } from '@shardwalk/model'
import {
  type MintlessItem,
  mintlessJetton,
  mintlessWallet,
  type ScratchDatabase,
  scratchDatabase,
  type TestContract,
} from '@shardwalk/testkit'
import { commitGroups, RecordedNetwork, recordedBatches, refreshAll } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'

let network: RecordedNetwork
let scratch: ScratchDatabase
beforeAll(async () => {
  network = await RecordedNetwork.open()
  scratch = await scratchDatabase()
  await commitGroups(scratch, [await recordedBatches({ to: 3 })])
})
afterAll(async () => {
  await scratch?.close()
  await network?.close()
})

const at = (byte: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, byte) })
const MASTER = at(0x42)
const item = (byte: number): MintlessItem => ({
  owner: at(byte),
  amount: BigInt(byte),
  startFrom: 1,
  expiredAt: 2,
})
const ITEMS = [item(1), item(2), item(3)]
const jetton = mintlessJetton({ items: ITEMS })
const rows = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows

/** Adds a contract as it would be in a zerostate. */
async function place(address: RawAddress, { code, data }: TestContract): Promise<void> {
  const state = {
    status: 'active',
    balance: 1n,
    codeHash: code.hash(),
    dataHash: data.hash(),
    code: serializeBoc(code),
    data: serializeBoc(data),
  } as const
  await seedStates(scratch.pool, [{ address, state, stateHash: Buffer.alloc(32), timestamp: 1 }])
}

async function examine(): Promise<void> {
  const refresher = network.refresher(scratch)
  await refreshAll(refresher)
  await refresher.close()
}

const walletRow = async ({ owner }: MintlessItem) =>
  (
    await rows('select balance, is_claimed, code_hash from jetton_wallets where account_id = $1', [
      deriveAccountId(jetton.walletOf(owner)),
    ])
  )[0]

test('a mintless master is found with its airdrop root, and the configuration is stored', async () => {
  await place(MASTER, jetton)
  await examine()
  const masters = await rows('select airdrop_root from jetton_masters where account_id = $1', [
    deriveAccountId(MASTER),
  ])
  expect(masters).toEqual([{ airdrop_root: jetton.root }])
  const others = await rows('select count(*)::int as n from jetton_masters where airdrop_root is not null')
  expect(others).toEqual([{ n: 1 }])
  expect(await readNetworkConfig(scratch.db)).toMatchObject({ keyBlockSeqno: 0 })
})

test('a wallet replaces its undeployed row and has its claim status', async () => {
  const jettonId = deriveAccountId(MASTER)
  await rows(
    `insert into mintless_jettons (jetton_id, airdrop_root, attempts, due_at) values ($1, $2, 1, now())`,
    [jettonId, jetton.root],
  )
  const claims = ITEMS.map((one) => ({ ...one, wallet: jetton.walletOf(one.owner) }))
  const task = { jettonId, importNo: 1, attempts: 1 }
  // A list that another process took meanwhile, or that was replaced, is left alone.
  for (const lost of [
    { ...task, attempts: 2 },
    { ...task, importNo: 2 },
  ])
    expect(await writeAirdrop(scratch.pool, lost, { claims, done: 3 })).toBe(false)
  expect(await rows('select * from mintless_claims')).toEqual([])
  const isLeased = async () =>
    (await rows(`select due_at > now() + interval '5 min' as "is" from mintless_jettons`))[0].is
  await rows(`update mintless_jettons set due_at = now() + interval '1 s'`)
  await prolongAirdrop(scratch.db, { ...task, attempts: 2 }, 600)
  expect(await isLeased()).toBe(false)
  await prolongAirdrop(scratch.db, task, 600)
  expect(await isLeased()).toBe(true)
  expect(await writeAirdrop(scratch.pool, task, { claims, done: 3 })).toBe(true)
  expect(await walletRow(ITEMS[0]!)).toEqual({ balance: '0', is_claimed: null, code_hash: null })

  const wallet = mintlessWallet({ balance: 7, owner: ITEMS[0]!.owner, master: MASTER, isClaimed: true })
  await place(jetton.walletOf(ITEMS[0]!.owner), wallet)
  // Somebody sent coins to the address of another wallet, which does not deploy it.
  const touched = jetton.walletOf(ITEMS[1]!.owner)
  await seedStates(scratch.pool, [
    { address: touched, state: { status: 'uninit', balance: 5n }, stateHash: Buffer.alloc(32), timestamp: 1 },
  ])
  await rows('insert into refresh_queue (account_id, lt) values ($1, 0)', [deriveAccountId(touched)])
  await examine()
  expect(await walletRow(ITEMS[0]!)).toEqual({
    balance: '7',
    is_claimed: true,
    code_hash: wallet.code.hash(),
  })
  expect(await walletRow(ITEMS[1]!)).toEqual({ balance: '0', is_claimed: null, code_hash: null })
  expect(await walletRow(ITEMS[2]!)).toEqual({ balance: '0', is_claimed: null, code_hash: null })
  // Importing the list again takes nothing away from the wallet.
  expect(await writeAirdrop(scratch.pool, task, { claims, done: 3 })).toBe(true)
  expect(await walletRow(ITEMS[0]!)).toEqual({
    balance: '7',
    is_claimed: true,
    code_hash: wallet.code.hash(),
  })
})
