// Worker thread that completes, encodes, compresses and writes rows while others are read.
import { parentPort } from 'node:worker_threads'
import type { ThreadRequest } from '@shardwalk/concurrency'
import { type PackedRows, RowBatch } from '@shardwalk/db/datasets'
import { type DatasetFileRequest, openDatasetFile } from './dataset-file.ts'
import type { RowFile } from './row-file.ts'

/** Tasks in this order: open, rows any number of times, end. */
export type FileTask =
  | { readonly open: DatasetFileRequest }
  | { readonly rows: PackedRows }
  | { readonly end: 'close' | 'abandon' }

/** `code`: as Node has it, e.g. ENOSPC, which errors lose on their way between threads. */
export type FileOutcome = { readonly problem?: { readonly message: string; readonly code?: string } }

let file: RowFile | undefined

parentPort!.on('message', async ({ task, payload }: ThreadRequest) => {
  parentPort!.postMessage({ task, result: await outcomeOf(payload as FileTask) })
})

async function outcomeOf(task: FileTask): Promise<FileOutcome> {
  try {
    await run(task)
    return {}
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { problem: { message, ...(code !== undefined && { code }) } }
  }
}

async function run(task: FileTask): Promise<void> {
  if ('open' in task) file = await openDatasetFile(task.open)
  else if ('rows' in task) await file!.write(RowBatch.unpacked(task.rows))
  else await file?.[task.end]()
}
