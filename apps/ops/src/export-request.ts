import {
  DATASETS,
  type DatabaseHandle,
  type Dataset,
  type DatasetFilters,
  type Db,
  type FilterName,
  findAccounts,
  findGaps,
  firstSeqnoFrom,
  listIndexedRanges,
  type SeqnoRange,
} from '@shardwalk/db'
import type { Compression, FileFormat } from '@shardwalk/exports'
import { type Options, textOption } from './command-options.ts'
import { CommandError } from './outcome.ts'

/** What `shardwalk export` is asked for, apart from the range. */
export interface ExportRequest {
  readonly datasets: readonly Dataset[]
  readonly out: string
  readonly format: FileFormat
  readonly partition: 'day' | 'mc-seqno'
  readonly chunk: number
  readonly maxRowsPerFile: number
  readonly compression: Compression
  readonly gzip: boolean
  /** As given: addresses of any form, types. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  columnsOf(dataset: Dataset): readonly string[]
}

const FORMATS: readonly FileFormat[] = ['parquet', 'ndjson', 'csv']

/** Throws `CommandError` with what is wrong and what is accepted. */
export function readRequest(names: readonly string[], options: Options): ExportRequest {
  const out = textOption(options, 'out')
  if (!out) throw new CommandError('--out: give the folder to write to')
  const datasets = names.flatMap((given) => given.split(',')).map(datasetOf)
  if (datasets.length === 0)
    throw new CommandError(`give a dataset: ${DATASETS.map(({ name }) => name).join(', ')}`)
  const columns = textOption(options, 'columns')?.split(',')
  const format = oneOf('format', FORMATS, textOption(options, 'format') ?? 'parquet')
  const gzip = options['gzip'] === true
  if (gzip && format === 'parquet')
    throw new CommandError('--gzip: for ndjson and csv; Parquet is compressed')
  return {
    datasets,
    out,
    format,
    gzip,
    filters: readFilters(datasets, options),
    compression: oneOf('compression', ['snappy', 'none'], textOption(options, 'compression') ?? 'snappy'),
    partition: oneOf('partition', ['day', 'mc-seqno'], textOption(options, 'partition') ?? 'day'),
    chunk: whole('chunk', textOption(options, 'chunk') ?? '10000', 10_000_000),
    maxRowsPerFile: whole(
      'max-rows-per-file',
      textOption(options, 'max-rows-per-file') ?? '2000000',
      100_000_000,
    ),
    columnsOf: (dataset) => columnsOf(dataset, columns, options['include-boc'] === true),
  }
}

function datasetOf(name: string): Dataset {
  const dataset = DATASETS.find((one) => one.name === name)
  if (dataset) return dataset
  throw new CommandError(`no dataset "${name}"; there are ${DATASETS.map((one) => one.name).join(', ')}`)
}

function columnsOf(dataset: Dataset, given: readonly string[] | undefined, bocs: boolean): readonly string[] {
  const own = Object.keys(dataset.columns)
  const all = [...own, ...Object.keys(dataset.bocs ?? {})]
  const unknown = given?.filter((name) => !all.includes(name)) ?? []
  if (unknown.length > 0)
    throw new CommandError(
      `--columns: ${dataset.name} has no ${unknown.join(', ')}; it has ${all.join(', ')}`,
    )
  return given ? all.filter((name) => given.includes(name)) : bocs ? all : own
}

const FILTERS: readonly FilterName[] = ['account', 'jetton', 'type']

/** Each dataset must have every filter: otherwise all rows would pass for those that were requested. */
function readFilters(datasets: readonly Dataset[], options: Options): ExportRequest['filters'] {
  const filters: Record<string, readonly string[]> = {}
  for (const name of FILTERS) {
    const given = textOption(options, name)?.split(',')
    if (!given) continue
    const without = datasets.filter((dataset) => !dataset.filters?.[name])
    if (without.length > 0)
      throw new CommandError(`--${name}: ${without.map((one) => one.name).join(', ')} has no such filter`)
    filters[name] = [...new Set(given)].sort()
  }
  return filters
}

/** Filters as printed, and with the ids of accounts. */
export interface ResolvedFilters {
  /** Addresses in raw form. */
  readonly shown: Readonly<Record<string, readonly string[]>>
  readonly matching: DatasetFilters
}

/** An account that was never seen matches nothing. Throws `CommandError` for what is no address. */
export async function resolveFilters(
  { pool }: DatabaseHandle,
  filters: ExportRequest['filters'],
): Promise<ResolvedFilters> {
  const shown: Record<string, readonly string[]> = {}
  const matching: Record<string, readonly (bigint | string)[]> = {}
  for (const [name, values] of Object.entries(filters)) {
    if (name === 'type') {
      shown[name] = values
      matching[name] = values
      continue
    }
    const found = await findAccounts(pool, values).catch((error: Error) => {
      throw /not an address/.test(error.message) ? new CommandError(`--${name}: ${error.message}`) : error
    })
    shown[name] = found.map(({ raw }) => raw).sort()
    matching[name] = found.flatMap(({ id }) => id ?? [])
  }
  return { shown, matching }
}

function oneOf<T extends string>(name: string, known: readonly T[], given: string): T {
  const value = known.find((one) => one === given)
  if (value) return value
  throw new CommandError(`--${name}: one of ${known.join(', ')}, not "${given}"`)
}

function whole(name: string, given: string, most: number): number {
  const value = /^\d+$/.test(given) ? Number(given) : 0
  if (value >= 1 && value <= most) return value
  throw new CommandError(`--${name}: a whole number from 1 to ${most}, not "${given}"`)
}

export interface ResolvedRange extends SeqnoRange {
  /** Blocks of the range that are not indexed. */
  readonly gaps: readonly (readonly [from: number, to: number])[]
}

/**
 * The range of masterchain blocks. Seqnos are both included; a date or time means from then on, and as an end
 * up to but without it. Throws `CommandError` for a range that is not indexed, unless `allowGaps`.
 */
export async function resolveRange(db: Db, options: Options): Promise<ResolvedRange> {
  const indexed = await listIndexedRanges(db)
  const [first, last] = [indexed[0]?.from, indexed.at(-1)?.to]
  if (first === undefined || last === undefined) throw new CommandError('nothing is indexed yet')
  const bounds = { first: indexed.at(-1)!.from, latest: last }
  const from = await seqnoOf(db, 'from', textOption(options, 'from') ?? 'first', bounds)
  const to = await seqnoOf(db, 'to', textOption(options, 'to') ?? 'latest', bounds)
  if (from > to) throw new CommandError(`--from ${from} is after --to ${to}`)
  const gaps = (await findGaps(db, { from, to })).map((gap) => [gap.from, gap.to] as const)
  if (gaps.length > 0 && options['allow-gaps'] !== true)
    throw new CommandError(
      `not indexed: ${gaps.map(([a, b]) => `${a}-${b}`).join(', ')}. Index them (shardwalk backfill ` +
        `${gaps[0]![0]} ${gaps[0]![1]}), or export what is there with --allow-gaps.`,
    )
  return { from, to, gaps }
}

async function seqnoOf(
  db: Db,
  option: 'from' | 'to',
  given: string,
  { first, latest }: { readonly first: number; readonly latest: number },
): Promise<number> {
  if (given === 'first') return first
  if (given === 'latest') return latest
  const [, digits, millions] = /^([\d_]+)(M?)$/.exec(given) ?? []
  if (digits) return Number(digits.replaceAll('_', '')) * (millions ? 1_000_000 : 1)
  const time = utcTime(given)
  if (Number.isNaN(time))
    throw new CommandError(
      `--${option}: a seqno (52000000, 52M), a date or time in UTC, first or latest, not "${given}"`,
    )
  const seqno = await firstSeqnoFrom(db, Math.ceil(time / 1000))
  if (option === 'to') return seqno === undefined ? latest : seqno - 1
  if (seqno === undefined) throw new CommandError(`--from: nothing is indexed from ${given} on`)
  return seqno
}

/** A date, perhaps with a time, perhaps of a zone. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i

/** Milliseconds of a date, or of a time, which is in UTC unless it names another zone; NaN otherwise. */
function utcTime(given: string): number {
  const [, date, clock = '00:00', zone = 'Z'] = TIME.exec(given) ?? []
  const midnight = Date.parse(`${date}T00:00Z`)
  // The 30th of February would be one in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date!)) return Number.NaN
  return Date.parse(`${date}T${clock}${zone.toUpperCase()}`)
}
