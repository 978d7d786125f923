import { DecodeError } from '@shardwalk/model'
import type { DhtNode } from '@shardwalk/tl'

/** What a global config says about the hash table. */
export interface DhtConfig {
  /** Servers that store a value, and that are asked for it. */
  readonly k: number
  /** Servers asked at a time. */
  readonly a: number
  /** Not checked yet. */
  readonly staticNodes: readonly DhtNode[]
  /** Why servers of the list are left out. */
  readonly leftOut?: readonly string[]
}

/** Values of nodes for configs without them. Source: ton-blockchain/ton, dht/dht.h. */
const DEFAULT_K = 10
const DEFAULT_A = 3
const MAX = 10

type Json = Readonly<Record<string, unknown>>

/**
 * The part `dht` of a global config; undefined if there is none. Addresses of unknown kinds are left out, and
 * servers that cannot be read if there are others. Throws `DecodeError` that names the field.
 */
export function readDhtConfig(config: unknown): DhtConfig | undefined {
  const dht = objectAt(config, 'dht')
  if (!dht) return undefined
  const nodes = objectAt(dht, 'static_nodes')?.['nodes'] ?? []
  if (!Array.isArray(nodes)) throw new DecodeError('dht.static_nodes.nodes', 'is no list')
  return {
    k: numberBetween(dht['k'], DEFAULT_K),
    a: numberBetween(dht['a'], DEFAULT_A),
    ...readNodes(nodes),
  }
}

function readNodes(nodes: readonly unknown[]): Pick<DhtConfig, 'staticNodes' | 'leftOut'> {
  const staticNodes: DhtNode[] = []
  const problems: DecodeError[] = []
  for (const [i, node] of nodes.entries())
    try {
      staticNodes.push(readNode(`dht.static_nodes.nodes[${i}]`, node))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      problems.push(error)
    }
  if (staticNodes.length === 0 && problems[0]) throw problems[0]
  return { staticNodes, ...(problems.length > 0 && { leftOut: problems.map(({ message }) => message) }) }
}

const numberBetween = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && value >= 1 ? Math.min(MAX, Math.floor(value)) : otherwise

function readNode(path: string, node: unknown): DhtNode {
  const list = objectAt(node, 'addr_list')
  const addresses = Array.isArray(list?.['addrs']) ? (list['addrs'] as readonly Json[]) : []
  return {
    id: { kind: 'pub.ed25519', key: bytesAt(`${path}.id.key`, objectAt(node, 'id')?.['key'], 32) },
    addrList: {
      addrs: addresses.filter(isUdp).map(({ ip, port }) => ({
        kind: 'adnl.address.udp' as const,
        ip: integer(`${path}.addr_list.addrs.ip`, ip) | 0,
        port: integer(`${path}.addr_list.addrs.port`, port),
      })),
      version: integer(`${path}.addr_list.version`, list?.['version'] ?? 0) >>> 0,
      reinitDate: integer(`${path}.addr_list.reinit_date`, list?.['reinit_date'] ?? 0) >>> 0,
      priority: integer(`${path}.addr_list.priority`, list?.['priority'] ?? 0) | 0,
      expireAt: integer(`${path}.addr_list.expire_at`, list?.['expire_at'] ?? 0) >>> 0,
    },
    version: integer(`${path}.version`, (node as Json)['version'] ?? 0) | 0,
    signature: bytesAt(`${path}.signature`, (node as Json)['signature']),
  }
}

const isUdp = (address: Json): boolean => address?.['@type'] === 'adnl.address.udp'

function objectAt(value: unknown, key: string): Json | undefined {
  const inner = typeof value === 'object' && value !== null ? (value as Json)[key] : undefined
  return typeof inner === 'object' && inner !== null ? (inner as Json) : undefined
}

function integer(path: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new DecodeError(path, 'is no integer')
  return value
}

function bytesAt(path: string, value: unknown, length?: number): Buffer {
  const bytes = Buffer.from(typeof value === 'string' ? value : '', 'base64')
  if (bytes.length === 0 || (length !== undefined && bytes.length !== length))
    throw new DecodeError(path, `has ${bytes.length} bytes`)
  return bytes
}
