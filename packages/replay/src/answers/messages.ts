import { hash } from 'node:crypto'
import { loadStdAddress, parseBoc, type Slice } from '@shardwalk/cells'
import { DecodeError, MASTERCHAIN, type RawAddress, shardContainsPrefix } from '@shardwalk/model'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import type { ReplayChain } from '../chain.ts'
import { ProofReader } from '../proof-reader.ts'
import { Refusal } from '../refusal.ts'
import { accountPrefix, findAccount } from './accounts.ts'

/** An external message sent by a client. */
export interface SentMessage {
  /** The bytes as sent. */
  readonly body: Buffer
  readonly destination: RawAddress
}

/**
 * Accepts external messages with the checks of a node's pool that need no execution. The chain is a
 * recording, so accepted messages never get into a block.
 */
export class Mailbox {
  readonly sent: SentMessage[] = []
  private readonly seen = new Set<string>()

  constructor(private readonly chain: ReplayChain) {}

  async send({
    body,
  }: LiteArguments['liteServer.sendMessage']): Promise<LiteResults['liteServer.sendMessage']> {
    const key = hash('sha256', body, 'hex')
    const destination = parse(body)
    if (!destination || !(await this.exists(destination)))
      throw new Refusal(0, `${REFUSED}Failed to unpack account state`)
    if (this.seen.has(key)) throw new Refusal(0, 'cannot send external message : duplicate message')
    this.seen.add(key)
    this.sent.push({ body: Buffer.from(body), destination })
    return { status: 1 }
  }

  private async exists({ workchain, hash: account }: RawAddress): Promise<boolean> {
    const { head } = this.chain
    const prefix = accountPrefix(account)
    const candidates = workchain === MASTERCHAIN ? [head.id] : this.chain.shardTops(head.id.seqno)
    const top = candidates.find((id) => id.workchain === workchain && shardContainsPrefix(id.shard, prefix))
    return (
      top !== undefined && findAccount(new ProofReader(await this.chain.state(top)), account) !== undefined
    )
  }
}

const REFUSED = 'cannot apply external message to current state : '
const UNREADABLE = `${REFUSED}failed to parse external message: `

function parse(body: Buffer): RawAddress | undefined {
  const message = readRoot(body)
  // Source: block.tlb `ext_in_msg_info$10 src:MsgAddressExt dest:MsgAddressInt`.
  if (message.remainingBits < 2 || message.loadUint(2) !== 0b10)
    throw new Refusal(0, `${UNREADABLE}external message must begin with ext_in_msg_info$10`)
  if (message.loadUint(2) === 0b01) message.skip(message.loadUint(9))
  return loadStdAddress(message)
}

function readRoot(body: Buffer): Slice {
  try {
    const bag = parseBoc(body)
    return bag.slice(bag.root)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new Refusal(0, `${UNREADABLE}cannot deserialize bag-of-cells: invalid header, error 0`)
  }
}
