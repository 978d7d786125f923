import type { Pool, PoolClient } from 'pg'

export interface Asked {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Statements that `work` runs on connections of the pool. A spy on the prototype of the driver's client saw
 * none in workers that had run many files before.
 */
export async function statementsOf(pool: Pool, work: () => Promise<unknown>): Promise<readonly Asked[]> {
  const found: Asked[] = []
  const listened = new Set<PoolClient>()
  const listen = (client: PoolClient) => {
    if (listened.has(client)) return
    listened.add(client)
    const query = client.query.bind(client) as (...all: unknown[]) => unknown
    Object.assign(client, {
      query(...all: unknown[]) {
        const [asked, values] = all as [string | Partial<Asked>, unknown]
        if (typeof asked === 'string')
          found.push({ text: asked, values: Array.isArray(values) ? values : [] })
        else found.push({ text: asked.text ?? '', values: asked.values ?? [] })
        return query(...all)
      },
    })
  }
  pool.on('acquire', listen)
  try {
    await work()
    return found
  } finally {
    pool.off('acquire', listen)
    for (const client of listened) Reflect.deleteProperty(client, 'query')
  }
}
