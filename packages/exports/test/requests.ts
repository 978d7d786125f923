import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATASETS } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import type { PartitionOptions } from '../src/export-partition.ts'
import type { FileFormat } from '../src/index.ts'
import { SAMPLE, WHOLE } from './sample-range.ts'

export const datasetOf = (name: string) => DATASETS.find((one) => one.name === name)!

/** All columns and blocks of a dataset in one file, unless `more` says otherwise. */
export function requestOf(
  name: string,
  more: Partial<PartitionOptions> & Pick<PartitionOptions, 'folder' | 'format'>,
): PartitionOptions {
  const dataset = datasetOf(name)
  return {
    columns: Object.keys({ ...dataset.columns, ...dataset.bocs }),
    ...(dataset.kind === 'range' && { range: WHOLE }),
    ...{ dataset, csvSafe: false, complete: true, gaps: [], globalId: -239, filters: {}, matching: {} },
    ...{ maxRowsPerFile: 2_000_000, force: false, contentChecksum: false, gzip: false },
    ...{ compression: 'snappy', partition: null },
    ...more,
  }
}

/** The recorded chain, and a folder for its exports. */
export class SampleExports {
  private constructor(
    readonly scratch: ScratchDatabase,
    readonly folder: string,
  ) {}

  static async open(): Promise<SampleExports> {
    return new SampleExports(await classifiedChain(), await mkdtemp(join(tmpdir(), 'shardwalk-export-')))
  }

  /** An export of the blocks that are looked at. */
  request(name: string, format: FileFormat, more: Partial<PartitionOptions> = {}): PartitionOptions {
    const range = datasetOf(name).kind === 'range' && { range: SAMPLE }
    return requestOf(name, {
      ...{ folder: join(this.folder, name, format), format, ...range, contentChecksum: true, ...more },
    })
  }

  async close(): Promise<void> {
    await this.scratch.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Every file of a folder with its content. */
export async function contentOf(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).sort()
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, (await readFile(join(path, name))).toString('base64')]),
    ),
  )
}

/** Of a text file. */
export const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8')).split('\n').slice(0, -1)
