import type { ActionRow } from '@shardwalk/actions'
import { parseRoot } from '@shardwalk/cells'
import { walletValidUntil } from '@shardwalk/contracts'
import { type ClaimedPending, factsOfTrace, readDnsZones } from '@shardwalk/db'
import {
  classifyBegun,
  classifyEmulated,
  type EmulatedTrace,
  emulateTail,
  emulateTrace,
  type IndexedKnowledge,
  type NodeChain,
  openChain,
  readRootMessage,
} from '@shardwalk/emulation'
import { formatRawAddress } from '@shardwalk/model'
import { configGlobalVersion } from '@shardwalk/tlb'
import { messageName } from './confirmed/confirmed-transaction.ts'
import type { Confirmed } from './confirmed/find-confirmed.ts'
import { accountsOf, type IndexedPart, MAX_INDEXED, toTrace, unreceived } from './indexed-part.ts'
import { rootOfSent } from './message-cells.ts'
import { type StoredTrace, toStoredNodes } from './stored-trace.ts'
import { lifeMs } from './verdict.ts'
import type { PendingWorld } from './world.ts'

/** A trace as readers will see it. */
export interface Snapshot {
  readonly trace: StoredTrace
  /** Of its transactions and actions, in raw form. */
  readonly accounts: readonly string[]
}

/** The emulated trace of a sent message, and when it is looked at again. */
export interface SentSnapshot {
  readonly snapshot: Snapshot
  /** lt of the receiver's last transaction. */
  readonly seenLt: bigint
  /** Milliseconds from now until the message is given up. */
  readonly expiresMs: number
}

/** Takes turns with other clients at the threads. */
const CLIENT = 'pending messages'
/** An index that is further behind is not waited for. Masterchain blocks. */
const MAX_BEHIND = 25

/** The chain after the newest indexed block, or after the newest of all when the index is far behind. */
export async function openPinned(
  { node, signal }: PendingWorld,
  indexed: number | undefined,
): Promise<NodeChain> {
  const head = await node.blocks.masterchain()
  const isFollowed = indexed !== undefined && head.seqno - indexed <= MAX_BEHIND
  return openChain(node, { signal, client: CLIENT }, isFollowed ? Math.min(indexed, head.seqno) : undefined)
}

/**
 * What the message is expected to do. `unchanged`: its receiver is as it was when that was found out last.
 * Rejects with `EmulationError` if it is not accepted.
 */
export async function emulateSent(
  world: PendingWorld,
  chain: NodeChain,
  claim: ClaimedPending,
  { stored, transactions }: Pick<Confirmed, 'transactions'> & { readonly stored: StoredTrace | undefined },
): Promise<SentSnapshot | 'unchanged'> {
  const root = readRootMessage(parseRoot(claim.boc))
  const receiver = await chain.account(root.message.destination!)
  const isSeen = stored && claim.seen_lt === receiver.lastTransLt
  if (isSeen && !stored.isCutShort && transactions.size === 0) return 'unchanged'
  const emulated = await emulateTrace(chain, root, {
    ignoreSignatures: world.ignoresSignatures,
    signal: world.signal,
    knownOf: (message) => transactions.get(messageName(message)),
  })
  const { nodes, isCut } = toStoredNodes(emulated, { confirmed: transactions })
  const isWhole = !emulated.isIncomplete && !isCut
  const actions = isCut
    ? undefined
    : await classified(classifyEmulated(chain, emulated, await knowledgeOf(world)))
  const isCutShort = emulated.isCutShort || (!isCut && !actions)
  const trace = await snapshotOf(chain, { happened: [], expected: nodes, actions, isWhole, isCutShort })
  if (isSeen && transactions.size === 0 && !isMore(trace, stored)) return 'unchanged'
  return {
    snapshot: { trace, accounts: accountsIn(emulated, actions) },
    seenLt: receiver.lastTransLt,
    expiresMs: lifeMs({
      admittedMs: claim.admitted_ms,
      validUntil: receiver.code && walletValidUntil(receiver.code.hash(), parseRoot(root.message.body)),
      utime: chain.utime,
    }),
  }
}

/**
 * A trace that has begun, and what its messages that no indexed transaction received are expected to do.
 * Undefined: lite servers do not have the state yet.
 */
export async function emulateBegun(
  { db, node, signal }: PendingWorld,
  part: IndexedPart,
  { indexed, transactions }: Pick<Confirmed, 'transactions'> & { readonly indexed: number | undefined },
): Promise<Snapshot | undefined> {
  const newest = Math.max(indexed ?? 0, ...part.rows.map((row) => row.mc_block_seqno))
  if ((await node.blocks.masterchain()).seqno < newest) return undefined
  const chain = await openChain(node, { signal, client: CLIENT }, newest)
  const waiting = part.row.nodes > MAX_INDEXED ? [] : unreceived(part)
  const roots = waiting.flatMap((sent) => rootOfSent(sent, part) ?? [])
  const [first, ...others] = roots
  const tail =
    first &&
    (await emulateTail(chain, [first, ...others], {
      signal,
      knownOf: (message) => transactions.get(messageName(message)),
    }))
  const senders = new Map(
    waiting.map(({ message, sender }) => [message.hash.toString('base64'), sender.hash.toString('base64')]),
  )
  const { nodes, isCut } = tail
    ? toStoredNodes(tail, { senderOf: (hash) => senders.get(hash), confirmed: transactions })
    : { nodes: [], isCut: false }
  const isLoaded = part.rows.length === part.row.nodes
  const isWhole = isLoaded && roots.length === waiting.length && !isCut && tail?.isIncomplete !== true
  const begun = { happened: toTrace(part), accounts: accountsOf(part), tail }
  const actions =
    isLoaded && !isCut ? await classified(classifyBegun(chain, begun, await knowledgeOf({ db }))) : undefined
  const hashes = part.rows.map((row) => row.hash.toString('base64'))
  const isCutShort = tail?.isCutShort === true || (isLoaded && !isCut && !actions)
  const trace = await snapshotOf(chain, { happened: hashes, expected: nodes, actions, isWhole, isCutShort })
  const accounts = [
    ...begun.accounts.map(formatRawAddress),
    ...(tail ? accountsIn(tail, actions) : namesIn(actions)),
  ]
  return { trace, accounts: [...new Set(accounts)] }
}

/** Whether a later attempt at a trace that was cut short found more of it. */
export const isMore = (found: StoredTrace, before: StoredTrace): boolean =>
  found.expected.length > before.expected.length ||
  (before.isIncomplete && !found.isIncomplete) ||
  (!before.isClassified && found.isClassified)

const knowledgeOf = async ({ db }: Pick<PendingWorld, 'db'>): Promise<IndexedKnowledge> => ({
  facts: (open, known) => factsOfTrace(db, open, known),
  dnsZones: await readDnsZones(db),
})

/** Without an answer there are no actions: what will happen is worth more than its names. */
async function classified(actions: Promise<readonly ActionRow[]>): Promise<readonly ActionRow[] | undefined> {
  return actions.catch(() => undefined)
}

const namesIn = (actions: readonly ActionRow[] | undefined): string[] =>
  actions?.flatMap((action) => action.accounts) ?? []

function accountsIn({ transactions }: EmulatedTrace, actions: readonly ActionRow[] | undefined): string[] {
  const own = transactions.map(({ transaction }) => formatRawAddress(transaction.account))
  return [...new Set([...own, ...namesIn(actions)])]
}

interface Parts extends Pick<StoredTrace, 'happened' | 'expected'> {
  /** Undefined: not classified. */
  readonly actions: readonly ActionRow[] | undefined
  readonly isWhole: boolean
  readonly isCutShort: boolean
}

async function snapshotOf(
  chain: NodeChain,
  { happened, expected, actions, isWhole, isCutShort }: Parts,
): Promise<StoredTrace> {
  const config = await chain.node.configuration.at(chain.mcBlock)
  return {
    mcBlockSeqno: chain.mcBlock.seqno,
    globalVersion: configGlobalVersion(config)?.version ?? 0,
    happened,
    expected,
    actions: actions ?? [],
    isClassified: actions !== undefined,
    isIncomplete: !isWhole,
    isCutShort,
  }
}
