import { type ClaimedPending, type Db, PENDING_STATE, type PendingLook } from '@shardwalk/db'
import { EmulationError } from '@shardwalk/emulation'
import type { RawAddress } from '@shardwalk/model'
import {
  placesOfMessages,
  readIndexedHead,
  replacedBlocks,
  type TraceRow,
  tracesByIds,
} from '@shardwalk/queries'
import { type Confirmed, type ConfirmedPorts, findConfirmed, isOutdated } from './confirmed/find-confirmed.ts'
import { emulateBegun, emulateSent, openPinned, type Snapshot } from './emulate.ts'
import { loadHappened, unreceived } from './happened.ts'
import { decodeTrace, encodeTrace, type StoredTrace } from './stored-trace.ts'
import type { PendingWorld } from './world.ts'

/** What is to be done with the message. */
export type Verdict =
  | { readonly kind: 'keep'; readonly look: PendingLook }
  | { readonly kind: 'invalidate'; readonly reason: string }
  | { readonly kind: 'delete' }

const keep = (look: PendingLook): Verdict => ({ kind: 'keep', look })

/** Milliseconds. A trace that has begun is given up when nothing happens in it. Source: TON Center. */
const SILENT_MS = 60_000
/** How long the trace stays beside the indexed one, which replicas may get later. */
const DONE_MS = 30_000
/** How long the classifier of the index is waited for. */
const CLASSIFIED_MS = 600_000
const DONE_LOOK_MS = 2_000
/** How long blocks that are signed are expected to become final, which the index may be late to tell. */
const CONFIRMED_MS = 600_000
/** Between two looks whether other blocks became final in their place. */
const UNCERTAIN_LOOK_MS = 1_000
/** Between two attempts when lite servers or the index are behind. */
const AGAIN_MS = 1_000

/**
 * Looks at a pending message: has it happened, is it still expected, and what will it do? What has happened
 * is read from the tables alone. The index is read first and then the trace, so a message that has no trace
 * is in no block up to the indexed one.
 */
export async function look(world: PendingWorld, claim: ClaimedPending): Promise<Verdict> {
  const { range } = await readIndexedHead(world.db)
  const trace = await findTrace(world.db, claim)
  if (trace) return lookAtBegun(world, claim, trace, range?.to)
  return lookAtSent(world, claim, range?.to)
}

/** The latest trace that the message began. */
async function findTrace(db: Db, { hash_norm, hash }: ClaimedPending): Promise<TraceRow | undefined> {
  const places = await placesOfMessages(db, [hash_norm, hash])
  const rows = await tracesByIds(
    db,
    places.map((place) => place.trace_id),
  )
  return [...rows].sort((a, b) => (a.start_lt < b.start_lt ? 1 : -1))[0]
}

const isPublished = ({ state }: ClaimedPending): boolean => PENDING_STATE[state] === 'pending'

const COMPLETE = 0

async function lookAtBegun(
  world: PendingWorld,
  claim: ClaimedPending,
  trace: TraceRow,
  indexed: number | undefined,
): Promise<Verdict> {
  const stored = storedOf(claim)
  const isKnown = claim.trace_id?.equals(trace.trace_id) === true && claim.seen_nodes === trace.nodes
  if (isKnown && !(await isOutdated(portsOf(world), stored, claim.awaited)))
    return lookAtKnown(claim, trace, stored)
  const happened = await loadHappened(world.db, world.accounts, trace.trace_id)
  if (!happened) return keep({ dueMs: AGAIN_MS })
  const from = unreceived(happened).map(({ message }) => message.hash.toString('base64'))
  const { transactions, awaited, isChanged } = await findConfirmed(portsOf(world), { stored, from })
  if (isKnown && !isChanged) return lookAtKnown(claim, trace, stored)
  const snapshot = await emulateBegun(world, happened, { indexed, transactions })
  if (!snapshot) return keep({ dueMs: AGAIN_MS })
  return keep({
    ...published(snapshot),
    traceId: trace.trace_id,
    seenNodes: happened.row.nodes,
    awaited,
    dueMs:
      happened.row.state === COMPLETE ? DONE_LOOK_MS : transactions.size > 0 ? UNCERTAIN_LOOK_MS : SILENT_MS,
  })
}

/** Nothing has happened in the trace since the last look. */
function lookAtKnown(
  claim: ClaimedPending,
  { state, unclassified, failed }: TraceRow,
  stored: StoredTrace | undefined,
): Verdict {
  const silentMs = -claim.changed_ms
  if (state !== COMPLETE) {
    const isUncertain = hasConfirmed(stored)
    const patienceMs = isUncertain ? CONFIRMED_MS : SILENT_MS
    return silentMs >= patienceMs
      ? { kind: 'invalidate', reason: 'expired: the rest of the trace did not happen' }
      : keep({ dueMs: isUncertain ? UNCERTAIN_LOOK_MS : SILENT_MS - silentMs })
  }
  const isClassified = failed || !unclassified
  const isOver = silentMs >= (isClassified ? DONE_MS : CLASSIFIED_MS)
  return isOver ? { kind: 'delete' } : keep({ dueMs: DONE_LOOK_MS })
}

async function lookAtSent(
  world: PendingWorld,
  claim: ClaimedPending,
  indexed: number | undefined,
): Promise<Verdict> {
  // It was indexed, but is no more: its block is being indexed again.
  if (claim.trace_id) return claim.expires_ms <= 0 ? givenUp(claim, 'expired') : keep({ dueMs: AGAIN_MS })
  const stored = storedOf(claim)
  const confirmed = await findConfirmed(portsOf(world), {
    stored,
    from: [claim.hash_norm.toString('base64')],
  })
  if (confirmed.transactions.size > 0) return lookAtConfirmed(world, claim, { confirmed, indexed })
  if (hasConfirmed(stored)) return givenUp(claim, 'its block was replaced')
  if (claim.expires_ms <= 0) return givenUp(claim, 'expired')
  const chain = await openPinned(world, indexed)
  const sent = await emulateSent(world, chain, claim, confirmed).catch((error: unknown) => {
    if (error instanceof EmulationError && error.code === 'not_accepted') return error
    throw error
  })
  if (sent === 'unchanged') return keep({ dueMs: claim.expires_ms })
  if (!(sent instanceof EmulationError)) {
    const { snapshot, seenLt, expiresMs } = sent
    return keep({ ...published(snapshot), seenLt, expiresMs, dueMs: expiresMs })
  }
  // On a state that is ahead of the index, the message may have been received.
  if (chain.mcBlock.seqno > (indexed ?? 0)) return keep({ dueMs: AGAIN_MS })
  if (isPublished(claim)) return { kind: 'invalidate', reason: sent.message }
  // Servers accepted it, so they were ahead of the index, and the account will change.
  const { lastTransLt: seenLt } = await chain.account(parseAccount(claim.account))
  return keep({ seenLt, dueMs: claim.expires_ms })
}

interface Uncertain {
  readonly confirmed: Confirmed
  readonly indexed: number | undefined
}

/** Its root happened in a block that the masterchain will commit, or another one in its place. */
async function lookAtConfirmed(
  world: PendingWorld,
  claim: ClaimedPending,
  { confirmed, indexed }: Uncertain,
): Promise<Verdict> {
  if (!confirmed.isChanged)
    return -claim.changed_ms >= CONFIRMED_MS
      ? givenUp(claim, 'expired: its block did not become final')
      : keep({ dueMs: UNCERTAIN_LOOK_MS })
  const sent = await emulateSent(world, await openPinned(world, indexed), claim, confirmed)
  if (sent === 'unchanged') return keep({ dueMs: AGAIN_MS })
  const { snapshot, seenLt, expiresMs } = sent
  return keep({
    ...published(snapshot),
    ...{ seenLt, expiresMs, awaited: confirmed.awaited, dueMs: UNCERTAIN_LOOK_MS },
  })
}

const portsOf = ({ db, confirmed }: PendingWorld): ConfirmedPorts => ({
  confirmed,
  replacedBlocks: (blocks) => replacedBlocks(db, blocks),
})

const storedOf = ({ trace }: ClaimedPending): StoredTrace | undefined =>
  trace === null ? undefined : decodeTrace(trace)

const hasConfirmed = (stored: StoredTrace | undefined): boolean =>
  stored?.expected.some(({ confirmed }) => confirmed !== undefined) === true

/** What is done with a message that will not happen. */
export const givenUp = (claim: ClaimedPending, reason: string): Verdict =>
  isPublished(claim) ? { kind: 'invalidate', reason } : { kind: 'delete' }

const parseAccount = (raw: string): RawAddress => {
  const [workchain, hash] = raw.split(':') as [string, string]
  return { workchain: Number(workchain), hash: Buffer.from(hash, 'hex') }
}

const published = ({ trace, accounts }: Snapshot) => ({
  isPending: true,
  trace: encodeTrace(trace),
  accounts,
})
