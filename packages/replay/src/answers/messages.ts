import { hash } from 'node:crypto'
import type { Cell } from '@shardwalk/cells'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import { Refusal } from '../refusal.ts'
import { type ExternalMessage, NOT_APPLIED, readExternalMessage } from './external-message.ts'

/** An external message sent by a client. */
export interface SentMessage {
  /** The bytes as sent. */
  readonly body: Buffer
  readonly destination: RawAddress
}

/** Applies the message to the state at the head. Throws `Refusal` if the contract does not accept it. */
export type MessageRun = (message: Cell, destination: RawAddress) => Promise<void>

/** Seconds after which the same bytes may be sent again. Source: node, liteserver-cache.hpp. */
const SAME_AGAIN_SECONDS = 60
/** Accepted messages for each address. Source: node, ext-message-pool.cpp, `MAX_EXT_MSG_PER_ADDR`. */
const MAX_PER_ADDRESS = 30
const PER_SECONDS = 10
const MAX_KEPT = 10_000

/**
 * Accepts external messages with the checks of a node's pool. The chain is a recording: a message gets into
 * a block only if the recording has it there.
 */
export class Mailbox {
  /** Oldest first; the last 10,000. */
  readonly sent: SentMessage[] = []
  /** Unix seconds by hash of the bytes. */
  private readonly seen = new Map<string, number>()
  private readonly accepted = new Map<string, number[]>()

  constructor(
    private readonly run: MessageRun,
    private readonly now: () => number,
  ) {}

  async send({
    body,
  }: LiteArguments['liteServer.sendMessage']): Promise<LiteResults['liteServer.sendMessage']> {
    const key = hash('sha256', body, 'hex')
    this.forgetOld()
    if (this.seen.has(key)) throw new Refusal(0, 'cannot send external message : duplicate message')
    this.seen.set(key, this.now())
    try {
      const destination = await this.apply(readExternalMessage(body))
      this.sent.push({ body: Buffer.from(body), destination })
      if (this.sent.length > MAX_KEPT) this.sent.shift()
      return { status: 1 }
    } catch (error) {
      // Refused messages may be sent again at once.
      this.seen.delete(key)
      throw error
    }
  }

  private async apply({ root, destination }: ExternalMessage): Promise<RawAddress> {
    if (!destination) throw new Refusal(0, `${NOT_APPLIED}Failed to unpack account state`)
    const address = formatRawAddress(destination)
    this.expectFew(address)
    await this.run(root, destination)
    this.expectFew(address)
    const times = this.accepted.get(address) ?? []
    this.accepted.set(address, [...times, this.now()])
    return destination
  }

  private expectFew(address: string): void {
    if ((this.accepted.get(address)?.length ?? 0) >= MAX_PER_ADDRESS)
      throw new Refusal(0, `${NOT_APPLIED}too many external messages to address ${address}`)
  }

  private forgetOld(): void {
    const now = this.now()
    for (const [key, time] of this.seen) if (time <= now - SAME_AGAIN_SECONDS) this.seen.delete(key)
    for (const [address, times] of this.accepted) {
      const recent = times.filter((time) => time > now - PER_SECONDS)
      if (recent.length > 0) this.accepted.set(address, recent)
      else this.accepted.delete(address)
    }
  }
}
