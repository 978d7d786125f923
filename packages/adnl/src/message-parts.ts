import { DecodeError } from '@shardwalk/model'
import { decodePeerMessage, encodePeerMessage, type PeerMessage } from '@shardwalk/tl'
import { sha256 } from './keys.ts'

type Part = Extract<PeerMessage, { kind: 'adnl.message.part' }>

/** A message up to this size travels whole. */
const MAX_WHOLE = 1152
const PART_LENGTH = 1024
/** Largest message that nodes put together. Source: ton-blockchain/ton, adnl/adnl-peer.h. */
const MAX_MESSAGE = 8192 + 128

/** The message itself, or its parts. Throws `RangeError` if it is too long to be received. */
export function cutMessage(message: PeerMessage): readonly PeerMessage[] {
  const bytes = encodePeerMessage(message)
  if (bytes.length <= MAX_WHOLE) return [message]
  if (bytes.length > MAX_MESSAGE) throw new RangeError(`a message of ${bytes.length} bytes is too long`)
  const hash = sha256(bytes)
  return Array.from({ length: Math.ceil(bytes.length / PART_LENGTH) }, (_, index) => {
    const offset = index * PART_LENGTH
    const data = bytes.subarray(offset, offset + PART_LENGTH)
    return { kind: 'adnl.message.part', hash, totalSize: bytes.length, offset, data }
  })
}

interface Assembly {
  readonly bytes: Buffer
  readonly missing: Set<number>
  readonly startedAt: number
}

/** Limits of the memory that one peer can occupy with messages that it never completes. */
export interface MessagePartsOptions {
  /** Messages that one peer may have begun. Default: 8. */
  readonly maxMessages?: number
  /** How long parts are kept, in milliseconds. Default: 30,000. */
  readonly maxAgeMs?: number
}

/** Puts the long messages of one peer together. Parts may arrive in any order. */
export class MessageParts {
  private readonly assemblies = new Map<string, Assembly>()
  private readonly maxMessages: number
  private readonly maxAgeMs: number

  constructor({ maxMessages = 8, maxAgeMs = 30_000 }: MessagePartsOptions = {}) {
    this.maxMessages = maxMessages
    this.maxAgeMs = maxAgeMs
  }

  /**
   * The message, if this is its last missing part. `now`: monotonic milliseconds. Throws `DecodeError` if the
   * part is not a part or the whole is not what its hash says.
   */
  add({ hash, totalSize, offset, data }: Part, now: number): PeerMessage | undefined {
    const end = Math.min(offset + PART_LENGTH, totalSize)
    if (totalSize > MAX_MESSAGE || offset % PART_LENGTH !== 0 || offset >= totalSize)
      throw new DecodeError('adnl.message.part', `offset ${offset} of ${totalSize} bytes`)
    if (data.length !== end - offset)
      throw new DecodeError('adnl.message.part.data', `${data.length} bytes instead of ${end - offset}`)
    const key = `${hash.toString('hex')}:${totalSize}`
    const assembly = this.assemblies.get(key) ?? this.begin(key, totalSize, now)
    assembly.bytes.set(data, offset)
    assembly.missing.delete(offset)
    if (assembly.missing.size > 0) return undefined
    this.assemblies.delete(key)
    if (!sha256(assembly.bytes).equals(hash))
      throw new DecodeError('adnl.message.part.hash', 'is not that of the whole message')
    return decodePeerMessage(assembly.bytes)
  }

  private begin(key: string, totalSize: number, now: number): Assembly {
    for (const [other, { startedAt }] of this.assemblies)
      if (now - startedAt > this.maxAgeMs || this.assemblies.size >= this.maxMessages)
        this.assemblies.delete(other)
    const offsets = Array.from({ length: Math.ceil(totalSize / PART_LENGTH) }, (_, i) => i * PART_LENGTH)
    const assembly = { bytes: Buffer.alloc(totalSize), missing: new Set(offsets), startedAt: now }
    this.assemblies.set(key, assembly)
    return assembly
  }
}
