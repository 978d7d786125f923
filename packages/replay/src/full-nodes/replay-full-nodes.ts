import { hash } from 'node:crypto'
import { type AdnlKey, shortId, type UdpAddress } from '@shardwalk/adnl'
import { sleep } from '@shardwalk/concurrency'
import { dhtKeyId, membersValue, signAddress, signServer } from '@shardwalk/dht'
import { BASECHAIN, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { shardOverlay, signMembership } from '@shardwalk/overlay'
import { OverlayNode } from '@shardwalk/p2p'
import {
  type DhtNode,
  type DhtValue,
  decodeUnion,
  dhtAnswer,
  dhtFunction,
  encodeUnion,
  type TonNodeFunction,
} from '@shardwalk/tl'
import type { ReplayChain } from '../chain.ts'
import { BlockBroadcaster } from './block-broadcaster.ts'
import { damagedLine, type LineFaults } from './damaged-line.ts'
import { FullNodeAnswers } from './full-node-answers.ts'

/** What is wrong with a full node of a test. Its line is that of the datagrams to it. */
export interface FullNodeFaults extends LineFaults {
  /** Answers no queries to full nodes, but is a member otherwise. */
  readonly isSilent?: boolean
  /** Changes a byte of every answer. */
  readonly sendsFalseData?: boolean
  /** Milliseconds after which queries to full nodes are answered. */
  readonly delayMs?: number
  /** Its values of the hash table are signed by others, expired, or of another key. */
  readonly forgesTable?: boolean
}

/** The chain that the nodes serve, and what is wrong with each of them. */
export interface ReplayFullNodesOptions {
  readonly chain: ReplayChain
  /** One node for each. Default: one without faults. */
  readonly nodes?: readonly FullNodeFaults[]
  /** Shard blocks are in archive files of their own, as newer nodes have them. Default: false. */
  readonly hasShardFiles?: boolean
  /** Pseudo-random numbers in [0, 1) for faults. */
  readonly random?: () => number
}

const HOST = '127.0.0.1'

/**
 * Full nodes over a recorded chain, which broadcast its blocks as the head moves. Each is also a server of
 * the hash table, and names all of them.
 */
export class ReplayFullNodes {
  private readonly nodes: OverlayNode[] = []
  private readonly broadcasters: BlockBroadcaster[] = []
  private readonly places: { readonly key: AdnlKey; readonly address: UdpAddress }[] = []
  private servers: readonly DhtNode[] = []
  private addresses = new Map<string, DhtValue>()
  private forged = 0
  /** Whether the hash table answers. */
  hasTable = true
  /** Queries to full nodes, by function. */
  readonly queryCounts = new Map<string, number>()

  private constructor(private readonly options: ReplayFullNodesOptions) {}

  static async start(options: ReplayFullNodesOptions): Promise<ReplayFullNodes> {
    const nodes = new ReplayFullNodes(options)
    await nodes.listen()
    return nodes
  }

  private async listen(): Promise<void> {
    const answers = new FullNodeAnswers(this.options.chain, this.options.hasShardFiles ?? false)
    const unixTime = Date.now() / 1_000
    for (const [index, faults] of (this.options.nodes ?? [{}]).entries()) {
      const node = this.makeNode(index, faults, answers)
      const port = await node.udp.listen()
      const overlays = {
        masterchain: node.join(MASTERCHAIN, FULL_SHARD),
        basechain: node.join(BASECHAIN, FULL_SHARD),
      }
      if (!faults.isSilent)
        this.broadcasters.push(
          new BlockBroadcaster(this.options.chain, node, overlays, faults.sendsFalseData ?? false),
        )
      this.nodes.push(node)
      this.places.push({ key: node.udp.key, address: { host: HOST, port } })
    }
    const signed = this.places.map((place) => ({ ...place, unixTime }))
    this.servers = signed.map(signServer)
    this.addresses = new Map(
      signed.map((place) => {
        const value = signAddress(place)
        return [dhtKeyId(value.key.key).toString('hex'), value]
      }),
    )
  }

  private makeNode(index: number, faults: FullNodeFaults, answers: FullNodeAnswers): OverlayNode {
    return new OverlayNode({
      seed: hash('sha256', Buffer.concat([Buffer.of(index), this.zeroStateFileHash]), 'buffer'),
      host: HOST,
      zeroStateFileHash: this.zeroStateFileHash,
      serve: (query) => this.serve(query, faults, answers),
      serveOther: async (query) => this.serveTable(query, index, faults.forgesTable ?? false),
      line: damagedLine(faults, this.options.random),
    })
  }

  private get zeroStateFileHash(): Buffer {
    return this.options.chain.recording.network.zerostate.fileHash
  }

  private async serve(
    query: TonNodeFunction,
    { isSilent, sendsFalseData, delayMs }: FullNodeFaults,
    answers: FullNodeAnswers,
  ): Promise<Buffer | undefined> {
    this.queryCounts.set(query.kind, (this.queryCounts.get(query.kind) ?? 0) + 1)
    if (isSilent) return undefined
    if (delayMs !== undefined) await sleep(delayMs)
    const answer = await answers.answer(query)
    if (!sendsFalseData || !answer || answer.length === 0) return answer
    const wrong = Buffer.from(answer)
    wrong[wrong.length >> 1]! ^= 1
    return wrong
  }

  private serveTable(bytes: Buffer, index: number, forges: boolean): Buffer | undefined {
    if (!this.hasTable) return undefined
    const query = decodeUnion(dhtFunction, bytes)
    if (query.kind === 'dht.getSignedAddressList') return this.ownEntry(this.places[index]!, forges)
    if (query.kind === 'dht.findNode')
      return encodeUnion(dhtAnswer, { kind: 'dht.nodes', nodes: this.servers.slice(0, query.k) })
    if (query.kind !== 'dht.findValue') return undefined
    const found = this.addresses.get(query.key.toString('hex')) ?? this.membersUnder(query.key)
    const value = found && forges ? this.forge(found) : found
    if (value)
      return encodeUnion(dhtAnswer, { kind: 'dht.valueFound', value: { kind: 'dht.value', ...value } })
    const nodes = { nodes: this.servers.slice(0, query.k) }
    return encodeUnion(dhtAnswer, { kind: 'dht.valueNotFound', nodes })
  }

  /** Signed now, so that it shows this machine's clock. */
  private ownEntry(place: (typeof this.places)[number], forges: boolean): Buffer {
    const unixTime = Date.now() / 1_000
    const entry = signServer({ ...place, unixTime: forges ? unixTime + 86_400 : unixTime })
    const signature = forges ? Buffer.alloc(64, 1) : entry.signature
    return encodeUnion(dhtAnswer, { kind: 'dht.node', ...entry, signature })
  }

  /** With a wrong signature, expired, or of another key, in turn. */
  private forge(value: DhtValue): DhtValue {
    const way = this.forged++ % 3
    if (way === 0) return { ...value, signature: Buffer.alloc(64, 1) }
    if (way === 1) return { ...value, ttl: Math.floor(Date.now() / 1_000) - 1 }
    return [...this.addresses.values()].find((other) => other !== value)!
  }

  private membersUnder(keyId: Buffer): DhtValue | undefined {
    const unixTime = Date.now() / 1_000
    const { zeroStateFileHash } = this
    for (const workchain of [MASTERCHAIN, BASECHAIN]) {
      const overlay = shardOverlay({ workchain, shard: FULL_SHARD, zeroStateFileHash })
      const members = this.nodes.map(({ udp }) => signMembership(udp.key, overlay.id, unixTime))
      const value = membersValue(overlay, members.slice(0, 5), unixTime)
      if (dhtKeyId(value.key.key).equals(keyId)) return value
    }
    return undefined
  }

  /** The part `dht` of a global config that names these nodes. */
  get dhtConfig() {
    const nodes = this.servers.map(({ id, addrList, version, signature }) => ({
      '@type': 'dht.node',
      id: { '@type': 'pub.ed25519', key: id.kind === 'pub.ed25519' ? id.key.toString('base64') : '' },
      addr_list: {
        '@type': 'adnl.addressList',
        addrs: addrList.addrs.map((address) =>
          address.kind === 'adnl.address.udp'
            ? { '@type': address.kind, ip: address.ip, port: address.port }
            : { '@type': address.kind },
        ),
        version: addrList.version,
        reinit_date: addrList.reinitDate,
        priority: addrList.priority,
        expire_at: addrList.expireAt,
      },
      version,
      signature: signature.toString('base64'),
    }))
    return { '@type': 'dht.config.global', k: 6, a: 3, static_nodes: { '@type': 'dht.nodes', nodes } }
  }

  /** Broadcasts the external messages that a masterchain block and its shard blocks receive. */
  async broadcastMessages(seqno: number): Promise<void> {
    await Promise.all(this.broadcasters.map((broadcaster) => broadcaster.sendMessages(seqno)))
  }

  /** ADNL ids of the nodes, hex. */
  get ids(): readonly string[] {
    return this.nodes.map(({ udp }) => shortId(udp.key.publicKey).toString('hex'))
  }

  async close(): Promise<void> {
    await Promise.all(this.broadcasters.map((broadcaster) => broadcaster.close()))
    await Promise.all(this.nodes.map((node) => node.close()))
  }
}
