import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** What requests share: the indexed head, and where partitions begin. */
const SHARED = /from indexed_ranges|from pg_inherits|^set /

/** Records the statements that this process sends for single requests. */
export function recordStatements(): {
  during(work: () => Promise<void>): Promise<readonly Statement[]>
  end(): void
} {
  const original = pg.Client.prototype.query as (...all: unknown[]) => unknown
  let current: Statement[] | undefined
  ;(pg.Client.prototype as { query: unknown }).query = function (this: unknown, ...all: unknown[]) {
    const config = all[0] as string | { text: string; values?: unknown[] }
    if (typeof config === 'string') current?.push({ text: config, values: (all[1] as unknown[]) ?? [] })
    else current?.push({ text: config.text, values: config.values ?? [] })
    return original.apply(this, all)
  }
  return {
    async during(work) {
      const statements: Statement[] = []
      current = statements
      try {
        await work()
      } finally {
        current = undefined
      }
      return statements.filter(({ text }) => !SHARED.test(text))
    },
    end() {
      ;(pg.Client.prototype as { query: unknown }).query = original
    },
  }
}

/** A value as an SQL literal. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return `'{${value.map(element).join(',')}}'`
  return `'${String(value)}'`
}

function element(item: unknown): string {
  return item === null ? 'NULL' : Buffer.isBuffer(item) ? `"\\\\x${item.toString('hex')}"` : String(item)
}
