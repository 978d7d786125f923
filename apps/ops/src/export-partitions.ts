import { type DatabaseHandle, type Dataset, daysOf, isSettled, type SeqnoRange } from '@shardwalk/db'
import type { ExportRequest, ResolvedRange } from './export-request.ts'

/** What is written into one folder. */
export interface Partition {
  /** Name of the folder. */
  readonly path: string
  /** Column and value that the folder stands for; null for a snapshot. */
  readonly name: Readonly<Record<string, string>> | null
  /** Undefined for a snapshot. */
  readonly range?: SeqnoRange
  /** The range has its first and its last block. */
  readonly isWhole: boolean
  /** All of it is indexed, and everything that it depends on has been examined and classified. */
  readonly complete: boolean
  readonly gaps: readonly (readonly [from: number, to: number])[]
}

type Asked = Pick<ExportRequest, 'partition' | 'chunk'> & { readonly range: ResolvedRange }

/** The partitions of a range of blocks, in order. */
export async function partitionsOf(
  handle: DatabaseHandle,
  dataset: Dataset,
  asked: Asked,
): Promise<readonly Partition[]> {
  const whole = asked.partition === 'day' ? await days(handle, asked) : chunks(asked)
  const partitions: Partition[] = []
  let isSettledSoFar = true
  for (const { range, complete, ...names } of whole) {
    const gaps = asked.range.gaps.filter(([from, to]) => to >= range.from && from <= range.to)
    const isIndexed = complete && gaps.length === 0
    // What waits before waits for all that follow.
    isSettledSoFar &&= !isIndexed || (await isSettled(handle.pool, dataset, range.to))
    partitions.push({ ...names, range, isWhole: complete, complete: isIndexed && isSettledSoFar, gaps })
  }
  return partitions
}

type Whole = Omit<Partition, 'gaps' | 'isWhole'> & { readonly range: SeqnoRange }

const days = async ({ db }: DatabaseHandle, { range }: Asked): Promise<Whole[]> =>
  (await daysOf(db, range)).map(({ day, from, to, complete }) => ({
    path: `block_date=${day}`,
    name: { block_date: day },
    range: { from, to },
    complete,
  }))

function chunks({ chunk, range }: Asked): Whole[] {
  const padded = (seqno: number) => String(seqno).padStart(10, '0')
  const partitions: Whole[] = []
  for (let start = Math.floor(range.from / chunk) * chunk; start <= range.to; start += chunk) {
    const last = start + chunk - 1
    const [from, to] = [Math.max(start, range.from), Math.min(last, range.to)]
    const seqnos = `${padded(start)}-${padded(last)}`
    // The first masterchain block has the number 1.
    const isCut = from > Math.max(start, 1) || to < last
    partitions.push({
      path: `mc_seqno=${seqnos}`,
      name: { mc_seqno: seqnos },
      range: { from, to },
      complete: !isCut,
    })
  }
  return partitions
}
