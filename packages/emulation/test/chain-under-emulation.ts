import type { Cell } from '@shardwalk/cells'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import type { DecodedMessage, DecodedTransaction } from '@shardwalk/model'
import { createNodeAccess, type NodeAccess } from '@shardwalk/node-access'
import { externalMessages, startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, fixtureChain } from '@shardwalk/testkit'
import { TvmPool } from '@shardwalk/tvm'
import type { Moment } from '../src/index.ts'

/** A transaction of the recorded chain. */
export interface Recorded {
  readonly transaction: DecodedTransaction
  readonly mcBlockSeqno: number
  /** `rand_seed` of its block. */
  readonly seed: Buffer
  /** The external message that it received. */
  readonly external?: Cell | undefined
}

/** The recorded chain behind a lite server, and its transactions. */
export class ChainUnderEmulation {
  /** In the order of the chain. */
  readonly externals: (Recorded & { readonly external: Cell })[] = []
  private readonly byMessage = new Map<string, Recorded>()

  private constructor(
    readonly node: NodeAccess,
    readonly tvm: TvmPool,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<ChainUnderEmulation> {
    const replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
    const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
    const pool = new LiteServerPool({ servers: liteServers, zeroState: zeroState! })
    const tvm = new TvmPool({ threads: 1, timeoutMs: 20_000 })
    const node = createNodeAccess({ pool, tvm, strangersTvm: tvm, anchor: zeroState })
    const chain = new ChainUnderEmulation(node, tvm, async () => {
      await pool.close()
      await tvm.close()
      await replay.close()
    })
    await chain.read()
    return chain
  }

  /** The recorded transaction that received the message. */
  find({ hash }: Pick<DecodedMessage, 'hash'>): Recorded | undefined {
    return this.byMessage.get(hash.toString('latin1'))
  }

  /** When the message was received. */
  readonly momentOf = (message: DecodedMessage): Moment | undefined => {
    const found = this.find(message)
    return found && { now: found.transaction.now, lt: found.transaction.lt, seed: found.seed }
  }

  private async read(): Promise<void> {
    for await (const { raw, mcBlockSeqno, batch } of fixtureChain()) {
      const messages = byHash(raw.flatMap((block) => externalMessages(block)))
      for (const { header, transactions } of [...batch.shards, batch.masterchain])
        for (const transaction of transactions) {
          const { inMsg } = transaction
          if (!inMsg) continue
          const external = messages.get(inMsg.hash.toString('latin1'))
          const recorded = { transaction, mcBlockSeqno, seed: header.randSeed, external }
          this.byMessage.set(inMsg.hash.toString('latin1'), recorded)
          if (external) this.externals.push({ ...recorded, external })
        }
    }
  }
}

const byHash = (messages: readonly Cell[]): ReadonlyMap<string, Cell> =>
  new Map(messages.map((message) => [message.hash().toString('latin1'), message]))
