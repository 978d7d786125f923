import pg from 'pg'
import { readOnlySession } from '../session.ts'

/** What a statement returned, as the text that PostgreSQL writes. */
export interface StatementResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** e.g. `SELECT`. */
  readonly command: string
}

/** A connection on which a person runs statements: one at a time, nothing is written by default. */
export class FreeSession {
  private constructor(private readonly client: pg.Client) {}

  static async open(url: string): Promise<FreeSession> {
    const client = new pg.Client({
      ...readOnlySession(url),
      application_name: 'shardwalk sql',
      connectionTimeoutMillis: 10_000,
    })
    // Without a listener, the end of the server would end the process; the next statement fails instead.
    client.on('error', () => {})
    await client.connect()
    return new FreeSession(client)
  }

  /** The result of the last statement in `text`. */
  async run(text: string): Promise<StatementResult> {
    const answer = await this.client.query({ text, rowMode: 'array', types: AS_TEXT } as pg.QueryArrayConfig)
    // Several statements have several results.
    const { fields, rows, command } = [answer].flat().at(-1) as pg.QueryArrayResult
    return { columns: fields.map(({ name }) => name), rows: rows as (string | null)[][], command }
  }

  close(): Promise<void> {
    return this.client.end()
  }
}

const AS_TEXT = { getTypeParser: () => (text: unknown) => text }
