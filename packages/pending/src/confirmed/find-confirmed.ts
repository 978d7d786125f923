import { parseBoc } from '@shardwalk/cells'
import { loadTransaction } from '@shardwalk/tlb'
import type { StoredNode, StoredTrace } from '../stored-trace.ts'
import type { ConfirmedSource } from './confirmed-blocks.ts'
import {
  blockName,
  type ConfirmedBlock,
  type ConfirmedTransaction,
  messageName,
} from './confirmed-transaction.ts'

/** The part of a trace that has happened in blocks which the masterchain has not committed. */
export interface Confirmed {
  /** By the message that they received; see `messageName`. */
  readonly transactions: ReadonlyMap<string, ConfirmedTransaction>
  /** Messages that no known transaction has received. */
  readonly awaited: readonly Buffer[]
  /** Whether other transactions are confirmed than those that are stored. */
  readonly isChanged: boolean
}

/** Where signed blocks and their fate are looked up. */
export interface ConfirmedPorts {
  readonly confirmed: ConfirmedSource
  /** Root hashes of those of the blocks in whose place the masterchain committed another one. */
  readonly replacedBlocks: (blocks: readonly ConfirmedBlock[]) => Promise<readonly Buffer[]>
}

interface Wanted {
  /** The stored trace; undefined when nothing is stored. */
  readonly stored: StoredTrace | undefined
  /** Messages that the final part sent and did not receive; of a trace that has not begun, its first. */
  readonly from: readonly string[]
}

/**
 * Follows messages from transaction to transaction. What was stored before is found without its block, which
 * another process may have read. Blocks that were replaced are left out.
 */
export async function findConfirmed(ports: ConfirmedPorts, { stored, from }: Wanted): Promise<Confirmed> {
  const { confirmed } = ports
  const before = storedConfirmed(stored)
  const lost = new Set<string>()
  for (;;) {
    const isLost = ({ block }: ConfirmedTransaction) => lost.has(blockName(block))
    const find = (message: string) =>
      [before.get(message), ...confirmed.receivers(message)].find((one) => one && !isLost(one))
    const { transactions, awaited } = follow(from, find)
    const found = await lostOf(ports, [...transactions.values()])
    if (found.length === 0) {
      const names = [...transactions.values()].map(nameOf)
      const isChanged = names.length !== before.size || !names.every((name) => namesOf(before).has(name))
      return { transactions, awaited, isChanged }
    }
    confirmed.replaced(found.map(({ block }) => block))
    for (const { block } of found) lost.add(blockName(block))
  }
}

/** Whether the stored trace must be examined again because of blocks that are not final. */
export async function isOutdated(
  ports: ConfirmedPorts,
  stored: StoredTrace | undefined,
  awaited: readonly Buffer[],
): Promise<boolean> {
  if (awaited.some((message) => ports.confirmed.receivers(message.toString('base64')).length > 0)) return true
  return (await lostOf(ports, [...storedConfirmed(stored).values()])).length > 0
}

const nameOf = ({ transaction, block }: ConfirmedTransaction): string =>
  `${transaction.hash.toString('base64')} ${blockName(block)}`
const namesOf = (found: ReadonlyMap<string, ConfirmedTransaction>): ReadonlySet<string> =>
  new Set([...found.values()].map(nameOf))

/** Longer traces are cut where they are emulated too. */
const MAX_TRANSACTIONS = 256

function follow(
  from: readonly string[],
  find: (message: string) => ConfirmedTransaction | undefined,
): Pick<Confirmed, 'transactions' | 'awaited'> {
  const transactions = new Map<string, ConfirmedTransaction>()
  const awaited: Buffer[] = []
  const open = [...from]
  for (let message = open.shift(); message !== undefined; message = open.shift()) {
    const found = transactions.size < MAX_TRANSACTIONS ? find(message) : undefined
    if (!found) {
      awaited.push(Buffer.from(message, 'base64'))
      continue
    }
    transactions.set(message, found)
    const { outMsgs } = found.transaction
    open.push(...outMsgs.filter(({ kind }) => kind === 'internal').map(messageName))
  }
  return { transactions, awaited }
}

async function lostOf(
  { replacedBlocks }: ConfirmedPorts,
  transactions: readonly ConfirmedTransaction[],
): Promise<readonly ConfirmedTransaction[]> {
  const replaced = await replacedBlocks(transactions.map(({ block }) => block))
  const lost = new Set(replaced.map((hash) => hash.toString('base64')))
  return transactions.filter(({ block }) => lost.has(blockName(block)))
}

/** What is stored as confirmed, by the message that it received. */
function storedConfirmed(stored: StoredTrace | undefined): ReadonlyMap<string, ConfirmedTransaction> {
  const found = (stored?.expected ?? []).flatMap((node) => fromNode(node) ?? [])
  return new Map(
    found.flatMap((one) =>
      one.transaction.inMsg ? [[messageName(one.transaction.inMsg), one] as const] : [],
    ),
  )
}

function fromNode({
  confirmed,
  boc: text,
  workchain,
  block,
  after,
}: StoredNode): ConfirmedTransaction | undefined {
  if (!confirmed) return undefined
  const boc = Buffer.from(text, 'base64')
  const bag = parseBoc(boc, { expectedRoots: 1 })
  return {
    transaction: loadTransaction(bag.slice(bag.root), workchain),
    boc,
    block: { ...block, rootHash: Buffer.from(confirmed.rootHash, 'base64') },
    seed: Buffer.from(confirmed.seed, 'base64'),
    after,
  }
}
