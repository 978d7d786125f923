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

test('what is written in binary is read back by SQL, for every type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const columns = ['id', 'wide', 'middle', 'narrow', 'flag', 'bytes', 'json', 'number']
      const buffer = new CopyBuffer(columns.length, 16)
      for (const [id, value] of rows.entries()) {
        buffer.startRow()
        buffer.int4(id)
        buffer.int8(value.wide)
        buffer.int4(value.middle)
        buffer.int2(value.narrow)
        buffer.bool(value.flag)
        buffer.bytea(value.bytes)
        buffer.jsonb(value.json)
        buffer.numeric(value.number)
      }
      const client = await scratch.pool.connect()
      try {
        await client.query(
          'create temporary table t (id int, wide int8, middle int4, narrow int2, flag bool, bytes bytea, json jsonb, number numeric)',
        )
        await copyInto(client, 't', columns, [{ rows: buffer.rows, bytes: buffer.finish() }])
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
