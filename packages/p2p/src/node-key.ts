import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, OwnerLock, replaceFile } from '@shardwalk/concurrency'
import { IndexerError } from '@shardwalk/model'

/** Identity of a node as its peers see it. */
export interface NodeIdentity {
  /** ed25519 seed, 32 bytes. */
  readonly seed: Buffer
  /** Unix seconds at which this start counts as begun: more than of any earlier one with this key. */
  readonly startedAt: number
}

/** An identity and its lock, held until it is released. */
export interface ClaimedIdentity {
  /** Undefined if another process holds it; this one must then use a new key. */
  readonly identity: NodeIdentity | undefined
  release(): Promise<void>
}

/** The file with the node's key exists but cannot be parsed. */
export class NodeKeyDamaged extends IndexerError {
  readonly code = 'node_key_damaged'
  readonly retry = 'never'
}

/** Peers believe dates up to 60 s ahead. Source: ton-blockchain/ton, adnl/adnl-peer.cpp. Seconds. */
const MAX_AHEAD = 30

/**
 * The node's permanent key, from a file that is made if there is none. Two processes with one key would break
 * each other's channels, so only one gets it at a time. `unixTime`: seconds. Throws `NodeKeyDamaged`.
 */
export async function claimNodeKey(path: string, unixTime = Date.now() / 1_000): Promise<ClaimedIdentity> {
  await makeFolder(dirname(path))
  const lock = await OwnerLock.acquire(`${path}.owner`, { withCopies: true })
  if (!lock) return { identity: undefined, release: () => Promise.resolve() }
  try {
    const identity = next(await read(path), Math.floor(unixTime))
    await write(path, identity)
    return { identity, release: () => lock.release() }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Peers drop what comes from a start that is not later than the last one. */
function next(last: NodeIdentity | undefined, now: number): NodeIdentity {
  const startedAt = Math.max(now, (last?.startedAt ?? 0) + 1)
  // The clock was set back so far that peers would refuse the date: with another key they accept it.
  if (!last || startedAt > now + MAX_AHEAD) return { seed: randomBytes(32), startedAt: now }
  return { seed: last.seed, startedAt }
}

async function read(path: string): Promise<NodeIdentity | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : decode(path, text)
}

function decode(path: string, text: string): NodeIdentity {
  const { seed, startedAt } = fieldsOf(text)
  const bytes = Buffer.from(typeof seed === 'string' ? seed : '', 'hex')
  if (bytes.length === 32 && typeof startedAt === 'number' && Number.isInteger(startedAt) && startedAt >= 0)
    return { seed: bytes, startedAt }
  throw new NodeKeyDamaged(
    `${path} does not hold the key of this node: restore the file, or delete it and full nodes get to know ` +
      'this one under a new key',
  )
}

function fieldsOf(text: string): { readonly seed?: unknown; readonly startedAt?: unknown } {
  try {
    const fields: unknown = JSON.parse(text)
    return typeof fields === 'object' && fields !== null ? fields : {}
  } catch {
    return {}
  }
}

const write = (path: string, { seed, startedAt }: NodeIdentity): Promise<void> =>
  replaceFile(path, `${JSON.stringify({ seed: seed.toString('hex'), startedAt })}\n`, 0o600)
