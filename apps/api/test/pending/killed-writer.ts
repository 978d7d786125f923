import pg from 'pg'

interface Inside {
  readonly connection: { readonly stream: { destroy(): void } }
}

/** Runs work on a connection that breaks instead of committing, as when the process is killed. */
export async function killedBeforeCommit(
  connectionString: string,
  work: (pool: pg.Pool) => Promise<unknown>,
): Promise<void> {
  let isKilled = false
  class DoomedClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: one body for all overloads of the driver
    override query(...all: any[]): any {
      if (/^commit/i.test(all[0]?.text ?? String(all[0]))) {
        isKilled = true
        ;(this as unknown as Inside).connection.stream.destroy()
      }
      return super.query(...(all as [string]))
    }
  }
  const pool = new pg.Pool({ connectionString, max: 1, Client: DoomedClient })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await work(pool).catch((error: unknown) => {
      if (!isKilled) throw error
    })
    if (!isKilled) throw new Error('nothing was committed')
  } finally {
    await pool.end().catch(() => {})
  }
}
