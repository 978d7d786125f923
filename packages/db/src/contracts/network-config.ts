import type { McBlockSeqno } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Parameters of the configuration. */
export interface NetworkConfig {
  /** Seqno of the key block that it comes from. */
  readonly keyBlockSeqno: McBlockSeqno
  /** Bag of cells: `Hashmap 32 ^Cell` with what get-methods and the API read. */
  readonly boc: Buffer
}

/**
 * Stores the newest configuration for processes without access to the network; that of the same key block
 * again if a former version stored other parameters of it.
 */
export async function storeNetworkConfig(db: Db, { keyBlockSeqno, boc }: NetworkConfig): Promise<void> {
  await sql`
    insert into network_config as n (id, key_block_seqno, boc) values (1, ${keyBlockSeqno}, ${boc})
    on conflict (id) do update set key_block_seqno = excluded.key_block_seqno, boc = excluded.boc
    where n.key_block_seqno < excluded.key_block_seqno
      or (n.key_block_seqno = excluded.key_block_seqno and n.boc <> excluded.boc)`.execute(db)
}

/** Undefined until a contract has been examined. */
export async function readNetworkConfig(db: Db): Promise<NetworkConfig | undefined> {
  const { rows } = await sql<NetworkConfig>`
    select key_block_seqno as "keyBlockSeqno", boc from network_config`.execute(db)
  return rows[0]
}
