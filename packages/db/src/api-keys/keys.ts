import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** NOTIFY channel: a key was created or revoked, so cached keys must be dropped. */
export const API_KEYS_CHANNEL = 'shardwalk_api_keys'

/** An API key without the secret. */
export interface ApiKey {
  readonly id: number
  /** First characters of the key. */
  readonly prefix: string
  readonly account: string
  readonly requestsPerSecond: number
  /** Network that it is valid for; undefined: all. */
  readonly globalId: number | undefined
  readonly createdAt: Date
  readonly disabledAt: Date | undefined
}

/**
 * A key to be stored, without the key itself. `prefix`: its first characters, to recognise it. `globalId`: of
 * the only network that it is for.
 */
export interface NewApiKey {
  /** SHA-256 of the key, 32 bytes. */
  readonly keyHash: Buffer
  readonly prefix: string
  readonly account: string
  readonly requestsPerSecond: number
  readonly globalId?: number
}

interface Row {
  readonly id: number
  readonly prefix: string
  readonly account: string
  readonly requests_per_second: number
  readonly global_id: number | null
  readonly created_at: Date
  readonly disabled_at: Date | null
}

const COLUMNS = [
  'id',
  'prefix',
  'account',
  'requests_per_second',
  'global_id',
  'created_at',
  'disabled_at',
] as const

const fromRow = (row: Row): ApiKey => ({
  id: row.id,
  prefix: row.prefix,
  account: row.account,
  requestsPerSecond: row.requests_per_second,
  globalId: row.global_id ?? undefined,
  createdAt: row.created_at,
  disabledAt: row.disabled_at ?? undefined,
})

/** Stores a key and notifies the processes that cache keys. Rejects if the hash is stored already. */
export async function insertApiKey(db: Db, key: NewApiKey): Promise<ApiKey> {
  const row = await db
    .insertInto('api_keys')
    .values({
      key_hash: key.keyHash,
      prefix: key.prefix,
      account: key.account,
      requests_per_second: key.requestsPerSecond,
      global_id: key.globalId ?? null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  await notify(db)
  return fromRow(row)
}

/** All keys, including revoked ones, in order of creation. */
export async function listApiKeys(db: Db): Promise<readonly ApiKey[]> {
  return (await db.selectFrom('api_keys').select(COLUMNS).orderBy('id').execute()).map(fromRow)
}

/** The key with this SHA-256; undefined when it does not exist or has been revoked. */
export async function findApiKey(db: Db, keyHash: Buffer): Promise<ApiKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('key_hash', '=', keyHash)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return row && fromRow(row)
}

/** True when there is a valid key; without any the service is open. */
export async function hasApiKeys(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('id')
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Revokes a key; false when there is no valid key with this id. */
export async function revokeApiKey(db: Db, id: number): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set({ disabled_at: new Date() })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  await notify(db)
  return row !== undefined
}

const notify = (db: Db): Promise<unknown> => sql`select pg_notify(${API_KEYS_CHANNEL}, '')`.execute(db)
