import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, type Condition, KEEP_PLAN, statement, withKey } from '../idiom/index.ts'
import { hasBody } from './body-hash.ts'
import type { MessageKey } from './message-rows.ts'

/** Raw: one row for each body, with a kept plan. Index: primary key of messages. */
const BODIES = statement<{
  readonly body: Buffer | null
  readonly accounts: readonly bigint[]
  readonly lts: readonly bigint[]
}>('bodies of messages', { body: 'bytea', accounts: 'int8[]', lts: 'int8[]' })

/** The messages with this full hash of the body and the conditions on the table aliased `m`. */
export async function messagesWithBody(
  db: Db,
  keys: readonly MessageKey[],
  { bodyHash, conditions }: { readonly bodyHash: Buffer; readonly conditions: readonly Condition[] },
): Promise<MessageKey[]> {
  if (keys.length === 0) return []
  const bodies = await BODIES.rows(
    db,
    sql`
    ${KEEP_PLAN} select m.body, array_agg(m.account_id) as accounts, array_agg(m.lt) as lts
    from unnest(${keys.map((key) => key.account_id)}::int8[], ${keys.map((key) => key.lt)}::int8[])
      as k(account_id, lt)
    cross join lateral (${withKey(
      'messages',
      'k',
      keys.map((key) => key.lt),
    )}) m
    where ${all(conditions)} group by m.body`,
  )
  return bodies
    .filter((row) => hasBody(row, bodyHash))
    .flatMap(({ accounts, lts }) => accounts.map((account_id, at) => ({ account_id, lt: lts[at]! })))
}
