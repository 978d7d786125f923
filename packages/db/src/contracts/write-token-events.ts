import { TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import type pg from 'pg'
import type { TokenEvents } from './token-event-rows.ts'

/** Writes the rows of transactions, also those written before. The caller has the lock `contracts`. */
export async function writeTokenEvents(client: pg.ClientBase, events: readonly TokenEvents[]): Promise<void> {
  for (const table of TOKEN_EVENT_TABLES)
    await insertEvents(
      client,
      table,
      events.flatMap((one) => one[table] ?? []),
    )
}

/** The token is looked up here, and again when the role becomes known later; both hold the same lock. */
const CONFIRM = {
  jetton_transfers: { role: 'jetton_wallets', names: 'jetton_id', former: 'f.jetton_id is not null' },
  jetton_burns: { role: 'jetton_wallets', names: 'jetton_id', former: 'f.jetton_id is not null' },
  nft_transfers: { role: 'nft_items', names: 'collection_id', former: 'f.item_index is not null' },
} as const

async function insertEvents(
  client: pg.ClientBase,
  table: keyof typeof CONFIRM,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return
  const { role, names, former } = CONFIRM[table]
  const columns = Object.keys(rows[0] as object)
  const selected = columns.map((column) => `e.${column}`).join(', ')
  const updates = columns.filter((column) => column !== 'account_id' && column !== 'lt')
  await client.query(
    `insert into ${table} (${columns.join(', ')}, confirmed, ${names})
     select ${selected}, w.account_id is not null or ${former}, coalesce(w.${names}, f.${names})
     from jsonb_populate_recordset(null::${table}, $1::jsonb) e
       left join ${role} w on w.account_id = e.account_id and w.code_hash is not null
     left join former_contracts f on f.account_id = e.account_id
     order by e.account_id, e.lt
     on conflict (account_id, lt) do update
       set ${updates.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [
      JSON.stringify(rows, function (this: Record<string, unknown>, key, given) {
        const original = this[key]
        if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
        return typeof given === 'bigint' ? String(given) : given
      }),
    ],
  )
}
