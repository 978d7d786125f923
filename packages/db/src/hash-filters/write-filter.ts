import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import { lock } from '../writing/locks.ts'
import type { PARTITIONED_TABLES } from '../writing/partitions.ts'
import { addKey, BLOCK_BYTES, blockOf, blocksFor, fold, keysIn, SLOTS } from './layout.ts'
import { countDistinctKeys, countKeys, KEYS_PER_ROW, scanKeys } from './scan-keys.ts'

/** A partition of which a filter is kept. */
export interface FilteredPartition {
  readonly table: (typeof PARTITIONED_TABLES)[number]
  /** As statements name it. */
  readonly name: string
  readonly from: Lt
  readonly to: Lt
}

interface Place {
  readonly group: number
  readonly slot: number
  /** The group has no other filter. */
  readonly isNew: boolean
}

/** Blocks that are in memory at once, 63 MB: of a larger filter the partition is read several times. */
const MEMORY_BLOCKS = 1 << 19
/** Of a filter that has no place yet. */
const NO_GROUP = -1
/** Blocks of one statement. */
const WRITTEN = 500
const DELETED = 20_000

/**
 * Builds and stores the filter of a partition. Returns whether it is in force: not if rows were written to
 * the partition meanwhile. The caller holds the lock `filters`.
 */
export async function writeFilter(
  client: pg.ClientBase,
  partition: FilteredPartition,
  signal: AbortSignal,
  memoryBlocks = MEMORY_BLOCKS,
): Promise<boolean> {
  await begin(client, partition)
  const keys = await countKeys(client, partition, signal)
  const most = blocksFor(keys)
  // Many messages have the same pairs.
  const hasPairs = KEYS_PER_ROW[partition.table] > 1
  if (most <= memoryBlocks) {
    const filter = await readPart(client, partition, signal, { blocks: most, first: 0 })
    const blocks = hasPairs ? Math.min(most, blocksFor(keysIn(filter))) : most
    const place = await takePlace(client, partition, blocks, signal)
    await writePart(client, place, { first: 0, bits: fold(filter, blocks) }, signal)
  } else {
    const blocks = hasPairs ? blocksFor(await countDistinctKeys(client, partition, signal)) : most
    const place = await takePlace(client, partition, blocks, signal)
    for (let first = 0; first < blocks; first += memoryBlocks) {
      const part = { blocks, first, count: Math.min(blocks - first, memoryBlocks) }
      const bits = await readPart(client, partition, signal, part)
      await writePart(client, place, { first, bits }, signal)
    }
  }
  const { rowCount } = await client.query(
    `update hash_filters set is_complete = true
     where of_table = $1 and from_lt = $2 and to_lt = $3 and written_at is null`,
    [partition.table, partition.from, partition.to],
  )
  return rowCount === 1
}

/** Blocks from `first` on of a filter of so many: all that follow, or `count`. */
async function readPart(
  client: pg.ClientBase,
  partition: FilteredPartition,
  signal: AbortSignal,
  {
    blocks,
    first,
    count = blocks,
  }: { readonly blocks: number; readonly first: number; readonly count?: number },
): Promise<Buffer> {
  const part = Buffer.alloc(count * BLOCK_BYTES)
  const onKey = (keys: Buffer, at: number) => {
    const block = blockOf(keys, at, blocks) - first
    if (block >= 0 && block < count) addKey(part, block * BLOCK_BYTES, keys, at)
  }
  await scanKeys(client, partition, onKey, signal)
  return part
}

/** Writes blocks from `first` on. */
async function writePart(
  client: pg.ClientBase,
  { group, slot }: Place,
  { first, bits }: { readonly first: number; readonly bits: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const count = bits.length / BLOCK_BYTES
  for (let at = 0; at < count; at += WRITTEN) {
    signal.throwIfAborted()
    const numbers = Array.from({ length: Math.min(WRITTEN, count - at) }, (_, n) => at + n)
    const blocks = numbers.map((n) => bits.subarray(n * BLOCK_BYTES, (n + 1) * BLOCK_BYTES))
    await client.query(PUT_BLOCKS, [group, numbers.map((n) => first + n), blocks, slot])
  }
}

/** The blocks take their place in rows that may end before it. Of what is missing there nothing is known. */
const PUT_BLOCKS = `
  insert into hash_filter_bits as b (group_no, block, bits)
  select $1, n, decode(repeat('ff', $4::int * ${BLOCK_BYTES}), 'hex') || bits
  from unnest($2::int4[], $3::bytea[]) x(n, bits)
  on conflict (group_no, block) do update set bits =
    case when length(b.bits) < $4::int * ${BLOCK_BYTES}
      then b.bits || substr(excluded.bits, length(b.bits) + 1)
      else overlay(b.bits placing substr(excluded.bits, $4::int * ${BLOCK_BYTES} + 1)
        from $4::int * ${BLOCK_BYTES} + 1) end`

/**
 * From now on, writers to the partition record it under the lock (`NOTE_WRITTEN`). Earlier ones have
 * committed once the lock is free, because they hold it until then.
 */
async function begin(client: pg.ClientBase, { table, from, to }: FilteredPartition): Promise<void> {
  await client.query(
    `insert into hash_filters (of_table, from_lt, to_lt, group_no, slot, blocks, is_complete)
     values ($1, $2, $3, ${NO_GROUP}, 0, 0, false)
     on conflict (of_table, from_lt) do update set to_lt = excluded.to_lt, group_no = excluded.group_no,
       slot = excluded.slot, blocks = excluded.blocks, is_complete = false, written_at = null`,
    [table, from, to],
  )
  await lock(client, 'ranges')
}

async function takePlace(
  client: pg.ClientBase,
  { table, from }: FilteredPartition,
  blocks: number,
  signal: AbortSignal,
): Promise<Place> {
  const place = await findPlace(client, table, blocks)
  if (place.isNew) await emptyGroup(client, place.group, signal)
  await client.query(
    `update hash_filters set group_no = $3, slot = $4, blocks = $5 where of_table = $1 and from_lt = $2`,
    [table, from, place.group, place.slot, blocks],
  )
  return place
}

/** In a group of filters of the same table and size, or in a new one. */
async function findPlace(client: pg.ClientBase, table: string, blocks: number): Promise<Place> {
  const { rows } = await client.query<{ group: number; slots: number[]; fits: boolean }>(
    `select group_no as group, array_agg(slot::int4) as slots,
       bool_and(of_table = $1 and blocks = $2) and count(*) < ${SLOTS} as fits
     from hash_filters group by 1 order by 1`,
    [table, blocks],
  )
  const found = rows.find(({ fits }) => fits)
  if (found) return { group: found.group, slot: firstWithout(found.slots), isNew: false }
  return { group: firstWithout(rows.map((row) => row.group)), slot: 0, isNew: true }
}

/** Removes blocks of filters that are gone. */
async function emptyGroup(client: pg.ClientBase, group: number, signal: AbortSignal): Promise<void> {
  const { rows } = await client.query<{ last: number | null }>(
    'select max(block) as last from hash_filter_bits where group_no = $1',
    [group],
  )
  for (let from = 0; from <= (rows[0]!.last ?? -1); from += DELETED) {
    signal.throwIfAborted()
    await client.query(
      `delete from hash_filter_bits where group_no = $1 and block >= $2 and block < $2 + ${DELETED}`,
      [group, from],
    )
  }
}

function firstWithout(numbers: readonly number[]): number {
  const taken = new Set(numbers)
  let number = 0
  while (taken.has(number)) number++
  return number
}
