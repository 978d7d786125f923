import { join } from 'node:path'
import { readMaybeGzipped } from '@shardwalk/sources'

/** A recorded exchange with the node; query and answer in hex. */
export interface RecordedAnswer {
  readonly name: string
  readonly function: string | null
  readonly query: string
  readonly answer?: string
  readonly no_answer?: boolean
  readonly error_code?: number
}

const FOLDER = 'liteserver-answers'

/** All recorded exchanges by file; empty if the recording has none. */
export async function readRecordedAnswers(folder: string): Promise<Map<string, readonly RecordedAnswer[]>> {
  const answers = new Map<string, readonly RecordedAnswer[]>()
  for (const file of await listFiles(folder)) {
    const text = await readMaybeGzipped(join(folder, FOLDER, file))
    if (text) answers.set(file, (JSON.parse(text.toString('utf8')) as { entries: RecordedAnswer[] }).entries)
  }
  return answers
}

async function listFiles(folder: string): Promise<string[]> {
  const index = await readMaybeGzipped(join(folder, FOLDER, 'index.json'))
  if (!index) return []
  return (JSON.parse(index.toString('utf8')) as { files: { file: string }[] }).files.map(({ file }) => file)
}

/** Answers that only a node can produce: get-method runs and signed block proofs. Loaded on first use. */
export class AnswerBook {
  private answers: Promise<Map<string, Buffer>> | undefined

  constructor(private readonly folder: string) {}

  async find(functionBytes: Buffer): Promise<Buffer | undefined> {
    this.answers ??= this.load()
    return (await this.answers).get(functionBytes.toString('hex'))
  }

  private async load(): Promise<Map<string, Buffer>> {
    const book = new Map<string, Buffer>()
    for (const entries of (await readRecordedAnswers(this.folder)).values())
      for (const { query, answer } of entries) if (answer) book.set(query, Buffer.from(answer, 'hex'))
    return book
  }
}
