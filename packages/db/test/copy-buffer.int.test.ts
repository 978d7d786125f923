import { bool, bytea, defineTable, int2, int4, int8, jsonb, numeric } from '@shardwalk/tables/define'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CopyBuffer } from '../src/rows/copy-buffer.ts'
import { copyInto } from '../src/writing/copy.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
})
afterAll(() => scratch.close())

const t = defineTable('t', {
  comment: 'One column per type.',
  columns: {
    id: int4('Key.'),
    wide: int8('').orNull(),
    middle: int4('').orNull(),
    narrow: int2(''),
    flag: bool('').orNull(),
    bytes: bytea('').orNull(),
    json: jsonb<unknown>('').orNull(),
    number: numeric('').orNull(),
  },
})

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
const row = fc.record({
  wide: optional(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })),
  middle: optional(fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 })),
  narrow: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
  flag: optional(fc.boolean()),
  bytes: optional(fc.uint8Array({ maxLength: 300 })),
  json: optional(fc.dictionary(fc.stringMatching(/^[0-9]{1,5}$/), fc.stringMatching(/^[0-9]{1,30}$/))),
  number: optional(
    fc.oneof(
      fc.bigInt({ min: 0n, max: 1n << 120n }),
      fc.nat(5).map((n) => 10n ** BigInt(n * 4)),
    ),
  ),
})

test('values written in binary are read back by SQL, for every type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const buffer = new CopyBuffer(t, 16)
      for (const [id, value] of rows.entries()) {
        buffer.startRow()
        buffer.int4('id', id)
        buffer.int8('wide', value.wide)
        buffer.int4('middle', value.middle)
        buffer.int2('narrow', value.narrow)
        buffer.bool('flag', value.flag)
        buffer.bytea('bytes', value.bytes)
        buffer.jsonb('json', value.json)
        buffer.numeric('number', value.number)
      }
      const client = await scratch.pool.connect()
      try {
        await client.query(
          `create temporary table t (id int, wide int8, middle int4, narrow int2, flag bool, bytes bytea,
            json jsonb, number numeric)`,
        )
        await copyInto(client, t, [buffer.finish()])
        const read = await client.query('select * from t order by id')
        expect(read.rows).toEqual(
          rows.map((value, id) => ({
            id,
            wide: value.wide ?? null,
            middle: value.middle === undefined ? null : value.middle | 0,
            narrow: value.narrow,
            flag: value.flag ?? null,
            bytes: value.bytes ? Buffer.from(value.bytes) : null,
            json: value.json ?? null,
            number: value.number?.toString() ?? null,
          })),
        )
      } finally {
        await client.query('drop table if exists t')
        client.release()
      }
    }),
    { numRuns: 60 },
  )
})

test('a field out of order, a missing one and an extra one are refused by name', () => {
  const pair = defineTable('pair', {
    comment: 'Two columns of one type.',
    columns: { first: int8(''), second: int8('') },
  })
  const begun = () => {
    const rows = new CopyBuffer(pair)
    rows.startRow()
    return rows
  }
  expect(() => begun().int8('second', 2n)).toThrow('pair: second came where first stands')
  const half = begun()
  half.int8('first', 1n)
  expect(() => half.startRow()).toThrow('pair: the end of the row came where second stands')
  expect(() => half.finish()).toThrow('second')
  half.int8('second', 2n)
  expect(() => half.int8('second', 3n)).toThrow('pair: second came where the end of the row stands')
})
