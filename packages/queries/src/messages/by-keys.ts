import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { KEEP_PLAN, statement, withKey } from '../idiom/index.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageKey, type MessageRow } from './message-rows.ts'

/** Raw: an array of keys with a kept plan. Index: primary key. */
const BY_KEYS = statement<MessageRow>('messages by keys', MESSAGE_TYPES)

/** Complete rows for the keys, in their order. */
export async function messagesByKeys(db: Db, keys: readonly MessageKey[]): Promise<MessageRow[]> {
  if (keys.length === 0) return []
  const [accounts, lts] = [keys.map((key) => key.account_id), keys.map((key) => key.lt)]
  return BY_KEYS.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${MESSAGE_COLUMNS}
    from unnest(${accounts}::int8[], ${lts}::int8[]) with ordinality as k(account_id, lt, position)
    cross join lateral (${withKey('messages', 'k', lts)}) m
    order by k.position`,
  )
}
