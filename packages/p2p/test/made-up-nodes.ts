import type { AdnlPeer } from '@shardwalk/adnl'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import { decodeUnion, encodeUnion, type TonNodeAnswer, tonNodeAnswer, tonNodeFunction } from '@shardwalk/tl'
import { DownloadPace } from '../src/download-pace.ts'
import { FullNodeClient } from '../src/full-node-client.ts'
import type { FullNodeNetwork } from '../src/full-node-network.ts'
import { FullNodePeer } from '../src/full-node-peer.ts'

export const block = (seqno: number, fill = 0): BlockId => ({
  ...{ workchain: MASTERCHAIN, shard: 1n << 63n, seqno },
  ...{ rootHash: Buffer.alloc(32, fill), fileHash: Buffer.alloc(32, fill) },
})
export const said = (answer: TonNodeAnswer): Buffer => encodeUnion(tonNodeAnswer, answer)
export const settled = () => new Promise((resolve) => setImmediate(resolve))
export const silence = () => Promise.reject(new Error('no answer'))

export type Node = (query: ReturnType<typeof queryOf>) => Buffer | Promise<Buffer>
/** After `overlay.query` and the id of the overlay. */
const queryOf = (bytes: Buffer) => decodeUnion(tonNodeFunction, bytes.subarray(36))

const peerAt = (index: number): FullNodePeer => {
  const peer = new FullNodePeer({ id: Buffer.alloc(32, index) } as AdnlPeer)
  peer.restore({ meanMs: 10 ** (index + 1), failures: 0, rate: 0, bannedUntil: 0 }, 0, 0)
  return peer
}

/** A client of nodes that answer at once; the first ones are cheaper and asked first. */
export function clientOf(nodes: Node[], now: () => number = () => 1) {
  const peers = nodes.map((_, index) => peerAt(index))
  const added = new Set<() => void>()
  const asked = async ({ id }: AdnlPeer, bytes: Buffer) => nodes[id[0]!]!(queryOf(bytes))
  const download = (peer: AdnlPeer, bytes: Buffer, { signal }: { readonly signal?: AbortSignal }) =>
    Promise.race([
      asked(peer, bytes),
      new Promise<Buffer>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    ])
  const network = {
    node: { udp: { clock: { now }, ask: asked, download } },
    traffic: new DownloadPace(undefined),
    masterchain: {
      id: Buffer.alloc(32),
      peers: new Map(peers.map((peer, index) => [String(index), peer])),
      onAdded: (listener: () => void) => {
        added.add(listener)
        return () => added.delete(listener)
      },
    },
  }
  /** Another node is found. */
  const find = (node: Node) => {
    nodes.push(node)
    const peer = peerAt(nodes.length - 1)
    network.masterchain.peers.set(String(nodes.length), peer)
    for (const listener of added) listener()
  }
  return { client: new FullNodeClient(network as unknown as FullNodeNetwork), peers, find, added }
}
