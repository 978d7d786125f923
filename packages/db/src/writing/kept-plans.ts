import type pg from 'pg'

/**
 * Planner settings of a transaction whose statements keep their plans on the connection. Such a plan serves
 * until statistics change, so it must not depend on how small the tables were when it was made: every look-up
 * is by an index. It is not made again for the values of a batch, which would cost more than it could save.
 * Staged rows, which have no index, are still read by sequential scans; their high cost must not start the
 * compiler.
 */
export const KEEP_PLANS = `set local enable_seqscan = off;
  set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off;
  set local plan_cache_mode = force_generic_plan`

/** Those that are in such a transaction. */
const keeping = new WeakSet<pg.ClientBase>()

/** The connection has begun (`KEEP_PLANS`) or ended such a transaction. */
export function markKeeping(client: pg.ClientBase, isKeeping: boolean): void {
  if (isKeeping) keeping.add(client)
  else keeping.delete(client)
}

const names = new Map<string, string>()

/** Named by their texts, of which there are few. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `sink_${names.size}`
  names.set(text, name)
  return name
}

/**
 * Runs a statement of a fixed text that each connection parses and plans once, unless the transaction is an
 * ordinary one. The types of its result must not change with a migration.
 */
export const queryKept = <Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: unknown[],
): Promise<pg.QueryResult<Row>> =>
  client.query<Row>(keeping.has(client) ? { name: nameOf(text), text, values } : { text, values })

/** By connection: names of prepared statements by their texts. */
const prepared = new WeakMap<pg.ClientBase, Map<string, string>>()
let attempts = 0

/** How a statement without parameters is run in a script, and what to do once the script has succeeded. */
export interface KeptStatement {
  readonly text: string
  readonly remember?: () => void
}

/**
 * As `queryKept`, for a script. Every attempt to prepare it has another name, because a script that failed
 * may have prepared it.
 */
export function kept(client: pg.ClientBase, text: string): KeptStatement {
  if (!keeping.has(client)) return { text }
  const known = prepared.get(client)?.get(text)
  if (known !== undefined) return { text: `execute ${known}` }
  const name = `script_${attempts++}`
  const remember = () => {
    const names = prepared.get(client) ?? new Map<string, string>()
    prepared.set(client, names.set(text, name))
  }
  return { text: `prepare ${name} as ${text}; execute ${name}`, remember }
}
