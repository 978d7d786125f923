import type { BlockId } from '@shardwalk/model'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { WrongNetwork } from '../errors.ts'

/**
 * Stores which network the database belongs to, or compares with what is stored. Must be called before
 * anything is indexed.
 */
export async function claimNetwork(db: Db, zerostate: BlockId): Promise<void> {
  await db
    .insertInto('network')
    .values({ id: 1, root_hash: zerostate.rootHash, file_hash: zerostate.fileHash, global_id: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const stored = await db.selectFrom('network').select(['root_hash', 'file_hash']).executeTakeFirstOrThrow()
  if (!stored.root_hash.equals(zerostate.rootHash) || !stored.file_hash.equals(zerostate.fileHash))
    throw new WrongNetwork(
      `with zerostate ${stored.root_hash.toString('hex')}`,
      `the one with zerostate ${zerostate.rootHash.toString('hex')}`,
    )
}

/** Root hash of the network's zerostate; undefined before `claimNetwork`. */
export async function findNetwork(db: Db): Promise<Buffer | undefined> {
  const row = await db.selectFrom('network').select('root_hash').executeTakeFirst()
  return row?.root_hash
}

/** Stores the global id with the first batch; throws for a block of another network. */
export async function assertGlobalId(client: pg.ClientBase, globalId: number): Promise<void> {
  await client.query('update network set global_id = $1 where id = 1 and global_id is null', [globalId])
  const { rows } = await client.query<{ global_id: number }>('select global_id from network where id = 1')
  if (rows[0] && rows[0].global_id !== globalId)
    throw new WrongNetwork(`with global id ${rows[0].global_id}`, `a block with global id ${globalId}`)
}

/**
 * `global_id` of the network's blocks; undefined until the first one is stored. Source: block.tlb `Block`.
 */
export async function findGlobalId(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('network').select('global_id').executeTakeFirst()
  return row?.global_id ?? undefined
}
