import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExportType, RowBatch } from '@shardwalk/db/datasets'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ParquetFile } from './parquet-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-parquet-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Of many rows: one that is in all of them, few that repeat, and one that is in none. */
const COLUMNS: readonly (readonly [ExportType, (row: number) => string | null])[] = [
  ['i32', () => '-2147483648'],
  ['i32', (row) => (row % 3 === 0 ? null : String(row - 5))],
  ['i64', (row) => ['-9223372036854775808', '9223372036854775807', '-1', '4294967296'][row % 4]!],
  ['i64', (row) => String(-46_000_000_000_000 - row)],
  ['d38', (row) => [`-${'9'.repeat(37)}`, '9'.repeat(38), '-5', '18446744073709551616'][row % 4]!],
  ['bool', (row) => [null, 't', 'f'][row % 3]!],
  ['str', (row) => ['', 'ж', 'a\tb\\n', null, '\\N', '\u202Ex'][row % 6]!],
  ['str', (row) => `${row}`.padStart(44, 'hash')],
  ['str', () => null],
  ['bin', (row) => (row % 2 === 0 ? '\\x' : `\\x${(row % 256).toString(16).padStart(2, '0')}ff`)],
]
const fields = COLUMNS.map(([type], at) => ({ name: `c${at}`, type }))

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' }
const field = (text: string | null) =>
  text === null ? '\\N' : text.replace(/[\\\t\n]/g, (one) => ESCAPES[one]!)
const lineOf = (row: number) => `${COLUMNS.map(([, read]) => field(read(row))).join('\t')}\n`

/** `sizes`: of batches, in turn. */
async function write(name: string, rows: number, sizes: readonly number[]): Promise<Buffer> {
  const path = join(folder, name)
  const file = await ParquetFile.open({ path, columns: fields })
  for (let at = 0, turn = 0; at < rows; turn++) {
    const size = Math.min(sizes[turn % sizes.length]!, rows - at)
    const lines = Array.from({ length: size }, (_, of) => lineOf(at + of)).join('')
    await file.write(RowBatch.of(Buffer.from(lines), COLUMNS.length))
    at += size
  }
  await file.close()
  return readFile(path)
}

function shown(type: ExportType, text: string | null): unknown {
  if (text === null) return null
  if (type === 'bool') return text === 't'
  if (type === 'i32') return Number(text)
  if (type === 'i64') return BigInt(text)
  if (type === 'd38') return Number(text)
  return type === 'bin' ? text.slice(2) : text
}

test.each([1, 5, 1023, 1024, 60_000])('%i rows are read back as they were, of every type', async (rows) => {
  const name = `${rows}.parquet`
  await write(name, rows, [1000])
  const objects = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)) })
  const asRead = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : (value ?? null)
  const raw = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)), utf8: false })
  expect(objects.length).toBe(rows)
  for (const [row, object] of objects.entries())
    for (const [at, [type, read]] of COLUMNS.entries()) {
      const value = type === 'bin' ? raw[row]![`c${at}`] : object[`c${at}`]
      const wanted = shown(type, read(row))
      if (asRead(value) !== wanted) expect([row, at, asRead(value)]).toEqual([row, at, wanted])
    }
})

test('bytes do not depend on how rows arrive', async () => {
  const whole = await write('whole', 55_000, [55_000])
  expect(await write('single', 55_000, [1, 2, 3, 999, 60])).toEqual(whole)
})

test.each(['9223372036854775808', '1.5', 'NaN'])(
  'a value that its type cannot hold is an error that names the column: %s',
  async (value) => {
    const columns = [{ name: 'lt', type: 'i64' as const }]
    const file = await ParquetFile.open({ path: join(folder, 'wrong'), columns })
    const rows = RowBatch.of(Buffer.from(`${value}\n`), 1)
    await expect(file.write(rows)).rejects.toThrow(`lt: ${value} does not fit`)
    await file.abandon()
  },
)
