import { type ClaimedPending, COMPLETE_TRACE, type Db } from '@shardwalk/db'
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
import { emulateBegun, emulateSent, isMore, openPinned, type Snapshot } from './emulate.ts'
import { loadIndexedPart, unreceived } from './indexed-part.ts'
import { decodeTrace, encodeTrace, type StoredTrace } from './stored-trace.ts'
import {
  DONE_CHECK_MS,
  givenUp,
  hasConfirmed,
  isPublished,
  judgeBegun,
  judgeConfirmed,
  keep,
  refusedCheckMs,
  SILENT_MS,
  UNCERTAIN_CHECK_MS,
  type Verdict,
} from './verdict.ts'
import type { PendingWorld } from './world.ts'

/** Milliseconds. Between two attempts when lite servers or the index are behind. */
const AGAIN_MS = 1_000
const LONGEST_AGAIN_MS = 10_000

/**
 * Examines a pending message: whether it was executed, whether it is still expected, and what trace is
 * expected. What was executed is read from the tables alone. The index is read first and then the trace, so a
 * message that has no trace is in no block up to the indexed one.
 */
export async function examine(world: PendingWorld, claim: ClaimedPending): Promise<Verdict> {
  const { range } = await readIndexedHead(world.db)
  const trace = await findTrace(world.db, claim)
  if (trace) return examineBegun(world, claim, trace, range?.to)
  return examineSent(world, claim, range?.to)
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

async function examineBegun(
  world: PendingWorld,
  claim: ClaimedPending,
  trace: TraceRow,
  indexed: number | undefined,
): Promise<Verdict> {
  const stored = storedOf(claim)
  const isKnown = claim.trace_id?.equals(trace.trace_id) === true && claim.seen_nodes === trace.nodes
  const isTriedAgain = isKnown && stored?.isCutShort === true && trace.state !== COMPLETE_TRACE
  if (isKnown && !isTriedAgain && !(await isOutdated(portsOf(world), stored, claim.awaited)))
    return judgeBegun(claim, trace, stored)
  const part = await loadIndexedPart(world.db, world.accounts, trace.trace_id)
  if (!part) return keep({ dueMs: AGAIN_MS })
  const from = unreceived(part).map(({ message }) => message.hash.toString('base64'))
  const { transactions, awaited, isChanged } = await findConfirmed(portsOf(world), { stored, from })
  if (isKnown && !isTriedAgain && !isChanged) return judgeBegun(claim, trace, stored)
  const snapshot = await emulateBegun(world, part, { indexed, transactions })
  if (!snapshot) return keep({ dueMs: AGAIN_MS })
  if (isTriedAgain && !isChanged && !isMore(snapshot.trace, stored))
    return atLatest(nextTryMs(claim, stored), judgeBegun(claim, trace, stored))
  const dueMs =
    part.row.state === COMPLETE_TRACE ? DONE_CHECK_MS : transactions.size > 0 ? UNCERTAIN_CHECK_MS : SILENT_MS
  const found = { traceId: trace.trace_id, seenNodes: part.row.nodes, awaited }
  return atLatest(nextTryMs(claim, snapshot.trace), keep({ ...published(snapshot), ...found, dueMs }))
}

async function examineSent(
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
  if (confirmed.transactions.size > 0) return examineConfirmed(world, claim, { confirmed, indexed })
  if (hasConfirmed(stored)) return givenUp(claim, 'its block was replaced')
  if (claim.expires_ms <= 0) return givenUp(claim, 'expired')
  const chain = await openPinned(world, indexed)
  const sent = await emulateSent(world, chain, claim, { ...confirmed, stored }).catch((error: unknown) => {
    if (error instanceof EmulationError && error.code === 'not_accepted') return error
    throw error
  })
  if (sent === 'unchanged') return atLatest(nextTryMs(claim, stored), keep({ dueMs: claim.expires_ms }))
  if (!(sent instanceof EmulationError)) {
    const { snapshot, seenLt, expiresMs } = sent
    const verdict = keep({ ...published(snapshot), seenLt, expiresMs, dueMs: expiresMs })
    return atLatest(nextTryMs(claim, snapshot.trace), verdict)
  }
  // On a state that is ahead of the index, the message may have been received.
  if (chain.mcBlock.seqno > (indexed ?? 0)) return keep({ dueMs: AGAIN_MS })
  if (isPublished(claim)) return { kind: 'invalidate', reason: sent.message }
  const { lastTransLt: seenLt } = await chain.account(parseAccount(claim.account))
  return keep({ seenLt, dueMs: refusedCheckMs(claim) })
}

interface Uncertain {
  readonly confirmed: Confirmed
  readonly indexed: number | undefined
}

/** Its root happened in a block that the masterchain will commit, or another one in its place. */
async function examineConfirmed(
  world: PendingWorld,
  claim: ClaimedPending,
  { confirmed, indexed }: Uncertain,
): Promise<Verdict> {
  if (!confirmed.isChanged) return judgeConfirmed(claim)
  const stored = storedOf(claim)
  const sent = await emulateSent(world, await openPinned(world, indexed), claim, { ...confirmed, stored })
  if (sent === 'unchanged') return keep({ dueMs: AGAIN_MS })
  const { snapshot, seenLt, expiresMs } = sent
  return keep({
    ...published(snapshot),
    seenLt,
    expiresMs,
    awaited: confirmed.awaited,
    dueMs: UNCERTAIN_CHECK_MS,
  })
}

/**
 * Milliseconds until what was cut short is tried again: less and less often, because some messages never end
 * in time.
 */
const nextTryMs = ({ admitted_ms }: ClaimedPending, trace: StoredTrace | undefined): number =>
  trace?.isCutShort ? Math.min(Math.max(AGAIN_MS, -admitted_ms), LONGEST_AGAIN_MS) : Number.POSITIVE_INFINITY

const atLatest = (ms: number, verdict: Verdict): Verdict =>
  verdict.kind === 'keep' ? keep({ ...verdict.update, dueMs: Math.min(ms, verdict.update.dueMs) }) : verdict

const portsOf = ({ db, confirmed }: PendingWorld): ConfirmedPorts => ({
  confirmed,
  replacedBlocks: (blocks) => replacedBlocks(db, blocks),
})

const storedOf = ({ trace }: ClaimedPending): StoredTrace | undefined =>
  trace === null ? undefined : decodeTrace(trace)

const parseAccount = (raw: string): RawAddress => {
  const [workchain, hash] = raw.split(':') as [string, string]
  return { workchain: Number(workchain), hash: Buffer.from(hash, 'hex') }
}

const published = ({ trace, accounts }: Snapshot) => ({
  isPending: true,
  trace: encodeTrace(trace),
  accounts,
})
