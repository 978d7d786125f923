import type { ScratchDatabase } from '@shardwalk/testkit'
import type { CompiledQuery, RawBuilder } from 'kysely'
import type { ClientBase } from 'pg'
import { vi } from 'vitest'
import { Statement } from '../src/idiom/index.ts'

/** A node of a plan after its execution. */
export interface PlanNode {
  readonly 'Node Type': string
  /** A partition. */
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  /** 0: it was opened and not read. */
  readonly 'Actual Loops': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

/**
 * Executes a statement with a plan for any values, as statements whose plan is kept have; its root comes
 * first. Without the name, EXPLAIN would plan for the values of the parameters.
 */
export async function executeForAnyValues(
  { db, pool }: ScratchDatabase,
  text: RawBuilder<unknown>,
): Promise<readonly PlanNode[]> {
  const client = await pool.connect()
  try {
    return nodesOf(await planForAnyValues(client, text.compile(db), 'analyze, timing off, buffers, '))
  } finally {
    client.release()
  }
}

/** The root of that plan. `options`: of EXPLAIN. */
export async function planForAnyValues(
  client: ClientBase,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
  options = '',
): Promise<PlanNode> {
  try {
    await client.query(`set plan_cache_mode = force_generic_plan; prepare explained as ${sql}`)
    const values = parameters.length > 0 ? `(${parameters.map(literalOf)})` : ''
    const { rows } = await client.query(`explain (${options}format json) execute explained ${values}`)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('reset plan_cache_mode; deallocate explained')
  }
}

const literalOf = (value: unknown): string => (value === null ? 'null' : `'${textOf(value)}'`)

/** Numbers of partitions that a statement opens and reads, with a plan for any values. */
export interface Partitions {
  readonly opened: number
  readonly read: number
  /** Names of those that it reads, and of the indexes by which it does. */
  readonly names: readonly string[]
  readonly indexes: readonly string[]
  readonly pages: number
}

/** Those of every statement during the work, which goes on with what they return. */
export async function partitionsDuring(
  scratch: ScratchDatabase,
  work: () => Promise<unknown>,
): Promise<readonly Partitions[]> {
  const found: Partitions[] = []
  const original = Statement.prototype.rows
  const spy = vi.spyOn(Statement.prototype, 'rows').mockImplementation(async function (
    this: Statement<unknown>,
    db,
    text,
  ) {
    const nodes = await executeForAnyValues(scratch, text)
    const read = nodes.filter((node) => node['Actual Loops'] > 0)
    const names = partitionsOf(read)
    const indexes = read.flatMap((node) => node['Index Name'] ?? [])
    const pages = nodes[0]!['Shared Hit Blocks'] + nodes[0]!['Shared Read Blocks']
    found.push({ opened: partitionsOf(nodes).length, read: names.length, names, indexes, pages })
    return original.call(this, db, text)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return found
}

const partitionsOf = (nodes: readonly PlanNode[]): readonly string[] => {
  const names = nodes.map((node) => node['Relation Name'] ?? '')
  return [...new Set(names.filter((name) => /^(transactions|messages)_lt_/.test(name)))]
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return Array.isArray(value) ? `{${value.map((one) => textOf(one).replace('\\', '\\\\'))}}` : String(value)
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
