import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import type { PARTITIONED_TABLES } from '../sink/partitions.ts'
import { inTransaction } from '../writing/transaction.ts'

type Table = (typeof PARTITIONED_TABLES)[number]

const BLOCK_BYTES = 1024
/** With six bits set per hash, one in some 200 that is not there seems to be. */
const BITS_PER_HASH = 12
/** Hashes of one message of the cursor, and blocks of one statement. */
const FETCHED = 20_000
const INSERTED = 500

/** The columns that are looked up by hash. */
const HASHES: Readonly<Record<Table, readonly string[]>> = {
  transactions: ['hash'],
  messages: ['hash', 'hash_norm'],
}

/**
 * Writes which hashes a partition has, as `ranges_with_hash` reads it. Returns the number of blocks. `rows`:
 * of the partition.
 */
export const writeHashes = (
  pool: pg.Pool,
  {
    table,
    partition,
    from,
    rows,
  }: { readonly table: Table; readonly partition: string; readonly from: Lt; readonly rows: number },
): Promise<number> =>
  inTransaction(pool, async (client) => {
    const hashes = rows * HASHES[table].length
    const count = Math.max(1, Math.ceil((hashes * BITS_PER_HASH) / (8 * BLOCK_BYTES)))
    const filter = Buffer.alloc(count * BLOCK_BYTES)
    await client.query(`declare hashes no scroll cursor for
      select ${HASHES[table].join(', ')} from ${partition}`)
    for (;;) {
      const page = await client.query<(Buffer | null)[]>({
        text: `fetch ${FETCHED} from hashes`,
        rowMode: 'array',
      })
      for (const row of page.rows) for (const hash of row) if (hash) add(filter, count, hash)
      if (page.rows.length < FETCHED) break
    }
    await client.query('delete from archived_hashes where of_table = $1 and from_lt = $2', [table, from])
    for (let first = 0; first < count; first += INSERTED) {
      const numbers = Array.from({ length: Math.min(INSERTED, count - first) }, (_, at) => first + at)
      await client.query(
        `insert into archived_hashes (of_table, from_lt, block, bits)
         select $1, $2, n, b from unnest($3::int4[], $4::bytea[]) x(n, b)`,
        [table, from, numbers, numbers.map((n) => filter.subarray(n * BLOCK_BYTES, (n + 1) * BLOCK_BYTES))],
      )
    }
    return count
  })

function add(filter: Buffer, blocks: number, hash: Buffer): void {
  const start = (hash.readUInt32BE(0) % blocks) * BLOCK_BYTES
  for (let at = 4; at < 16; at += 2) {
    const bit = hash.readUInt16BE(at) & (8 * BLOCK_BYTES - 1)
    filter[start + (bit >> 3)]! |= 1 << (bit & 7)
  }
}
