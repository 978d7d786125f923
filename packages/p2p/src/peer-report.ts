import type { FullNodePeer, QueryClass } from './full-node-peer.ts'
import type { JoinedOverlay } from './joined-overlay.ts'

/** Overlays that a node of ours is a member of. */
export type OverlayName = 'masterchain' | 'basechain'
export type Overlays = Readonly<Record<OverlayName, JoinedOverlay>>

/** Queries to a full node and its answers. */
export interface PeerReport {
  /** ADNL id, hex. */
  readonly id: string
  readonly host: string
  readonly port: number
  readonly overlays: readonly OverlayName[]
  readonly state: 'ready' | 'resting' | 'banned'
  /** Queries, by kind. */
  readonly asked: Readonly<Record<QueryClass, number>>
  readonly answered: number
  /** Bytes of its answers. */
  readonly bytes: number
  /** Bytes per second of its long answers; undefined: it gave none. */
  readonly bytesPerSecond: number | undefined
  /** Mean time of its answers, blocks before other ones; undefined: none yet. */
  readonly meanMs: number | undefined
}

/** Reports of all known nodes, those with most bytes of answers first. `now`: monotonic milliseconds. */
export function peerReports(overlays: Overlays, now: number): readonly PeerReport[] {
  const reports = new Map<string, PeerReport>()
  for (const name of ['masterchain', 'basechain'] as const)
    for (const [key, peer] of overlays[name].peers) {
      const known = reports.get(key)
      const report = reportOf(peer, name, now)
      reports.set(key, known ? together(known, report) : report)
    }
  return [...reports.values()].sort((a, b) => b.bytes - a.bytes)
}

function reportOf(peer: FullNodePeer, overlay: OverlayName, now: number): PeerReport {
  const { id, address } = peer.adnl
  const { asked, answers, bytes } = peer.counts
  return {
    id: id.toString('hex'),
    ...address,
    overlays: [overlay],
    state: peer.isBanned(now) ? 'banned' : peer.isResting(now) ? 'resting' : 'ready',
    asked: { ...asked },
    answered: answers,
    bytes,
    bytesPerSecond: peer.bytesPerSecond === 0 ? undefined : peer.bytesPerSecond,
    meanMs: peer.meanMs,
  }
}

const STATES = ['ready', 'resting', 'banned'] as const

/** One node in two overlays: the worse state, and the time of whichever is known. */
function together(a: PeerReport, b: PeerReport): PeerReport {
  const add = (kind: QueryClass) => a.asked[kind] + b.asked[kind]
  return {
    ...a,
    overlays: [...a.overlays, ...b.overlays],
    state: STATES[Math.max(STATES.indexOf(a.state), STATES.indexOf(b.state))]!,
    asked: { short: add('short'), block: add('block'), archive: add('archive') },
    answered: a.answered + b.answered,
    bytes: a.bytes + b.bytes,
    bytesPerSecond: a.bytesPerSecond ?? b.bytesPerSecond,
    meanMs: a.meanMs ?? b.meanMs,
  }
}
