import { ThreadPool } from '@shardwalk/concurrency'
import type { RowBatch } from '@shardwalk/db/datasets'
import type { DatasetFileRequest } from './dataset-file.ts'
import type { FileOutcome, FileTask } from './file-thread.ts'
import { RowBlock } from './row-block.ts'
import type { RowFile } from './row-file.ts'

const SCRIPT = new URL('./file-thread.ts', import.meta.url)
/** For a block of rows, and what completes a file: the disk may be slow, and other programs come first. */
const DEADLINE_MS = 300_000
/** Fewer and cheaper collections: values of computed columns die young. */
const YOUNG_MIB = 64
/** As much as a row group may have: rows are read on while one is compressed. */
const BLOCKS_WAITING = 32

type Run = (task: FileTask, transfer?: readonly ArrayBuffer[]) => Promise<void>

/** A thread that writes files, one at a time. It is started for the first one. */
export class WritingThread {
  private pool: ThreadPool<FileTask, FileOutcome> | undefined

  /** As `openDatasetFile`. Its errors and those of the file have the code of Node's error, if any. */
  readonly open = async (request: DatasetFileRequest): Promise<RowFile> => {
    await this.run({ open: request })
    return new ThreadFile(this.run)
  }

  /** Ends the thread at once, even while it writes. */
  async close(): Promise<void> {
    await this.pool?.close()
  }

  private readonly run: Run = async (task, transfer = []) => {
    const options = { deadlineMs: DEADLINE_MS, youngMib: YOUNG_MIB }
    this.pool ??= new ThreadPool<FileTask, FileOutcome>(SCRIPT, 1, options)
    const { problem } = await this.pool.run(task, { transfer })
    if (problem) throw Object.assign(new Error(problem.message), { code: problem.code })
  }
}

/** Sends rows to the thread, which does not fall behind by more than some blocks. */
class ThreadFile implements RowFile {
  private readonly block = new RowBlock()
  private readonly sent: Promise<void>[] = []

  constructor(private readonly run: Run) {}

  async write(rows: RowBatch): Promise<void> {
    this.block.append(rows)
    if (!this.block.isFull) return
    this.send()
    if (this.sent.length > BLOCKS_WAITING) await this.sent.shift()
  }

  async close(): Promise<void> {
    if (!this.block.isEmpty) this.send()
    await Promise.all(this.sent)
    await this.run({ end: 'close' })
  }

  async abandon(): Promise<void> {
    await this.run({ end: 'abandon' })
  }

  private send(): void {
    const rows = this.block.take()
    const written = this.run({ rows }, [rows.bytes.buffer, rows.ends.buffer])
    // A failure is reported by a later write or by `close`.
    written.catch(() => {})
    this.sent.push(written)
  }
}
