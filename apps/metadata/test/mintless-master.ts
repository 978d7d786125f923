import { Builder, buildDict, type Cell, serializeBoc } from '@shardwalk/cells'
import { parseTokenContent } from '@shardwalk/contracts'
import { claimContracts, seedStates, storeNetworkConfig, writeContracts } from '@shardwalk/db'
import { deriveAccountId, type RawAddress } from '@shardwalk/model'
import type { mintlessJetton, ScratchDatabase } from '@shardwalk/testkit'

export type Jetton = ReturnType<typeof mintlessJetton>

const VERSION_12 = new Builder().storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64).endCell()
const CONFIG = buildDict([[8n, new Builder().storeRef(VERSION_12)]], 32) as Cell
const CONTENT = new Builder().storeUint(1, 8).storeBytes(Buffer.from('https://a.test/1.json')).endCell()
export const MASTER: RawAddress = { workchain: 0, hash: Buffer.alloc(32, 0x42) }
export const MASTER_ID = deriveAccountId(MASTER)

/** Writes the rows that indexing and examination would write for the master. */
export async function deployMaster(
  { db, pool }: ScratchDatabase,
  { code, data, root }: Jetton,
  lt: bigint,
): Promise<void> {
  const [codeHash, dataHash] = [code.hash(), data.hash()]
  const bocs = { code: serializeBoc(code), data: serializeBoc(data) }
  const state = { status: 'active', balance: 1n, codeHash, dataHash, ...bocs } as const
  for (const table of ['latest_account_states', 'contract_data'])
    await pool.query(`delete from ${table} where account_id = $1`, [MASTER_ID])
  await storeNetworkConfig(db, { keyBlockSeqno: 0, boc: serializeBoc(CONFIG) })
  await seedStates(pool, [{ address: MASTER, state, stateHash: Buffer.alloc(32), timestamp: 1 }])
  await pool.query('update latest_account_states set lt = $2 where account_id = $1', [MASTER_ID, lt])
  const [taken] = await claimContracts(db, { limit: 1, leaseSeconds: 60 })
  const master = {
    kind: 'jetton_master',
    totalSupply: 0n,
    mintable: true,
    admin: undefined,
    content: parseTokenContent(CONTENT)!,
    walletCodeHash: Buffer.alloc(32),
    airdropRoot: root,
  } as const
  const { accountId, address, queuedLt, requeues } = taken!
  await writeContracts(pool, [
    { accountId, address, queuedLt, requeues, lt, codeHash, dataHash, found: [master], asked: [] },
  ])
}

/** Writes the rows that the metadata fetcher would write for the jetton. */
export const describeMaster = (
  { pool }: ScratchDatabase,
  uri: string,
  custom: unknown = 'https://claim.example/',
) =>
  pool.query(
    `insert into address_metadata (account_id, updated_at, expires_at, type, valid, source_hash, extra)
     values ($1, now(), now() + interval '1 day', 2, true, '', $2)
     on conflict (account_id, type) do update set extra = excluded.extra`,
    [MASTER_ID, { mintless_merkle_dump_uri: uri, custom_payload_api_uri: custom }],
  )
