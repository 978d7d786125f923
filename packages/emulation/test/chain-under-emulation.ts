import type { Cell } from '@shardwalk/cells'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import {
  type BlockId,
  type DecodedMessage,
  type DecodedTransaction,
  MASTERCHAIN,
  type RawAddress,
  shardContainsPrefix,
} from '@shardwalk/model'
import { createNodeAccess, type NodeAccess } from '@shardwalk/node-access'
import { externalMessages, type ReplayChain, startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, fixtureChain, openSlowLink } from '@shardwalk/testkit'
import { findShardAccount, loadShardState } from '@shardwalk/tlb'
import { TvmPool } from '@shardwalk/tvm'
import { readAccount } from '../src/account-view.ts'
import type { AccountView, EmulatedTransaction, Moment } from '../src/index.ts'

/** A transaction of the recorded chain. */
export interface Recorded {
  readonly transaction: DecodedTransaction
  readonly mcBlockSeqno: number
  /** `rand_seed` of its block. */
  readonly seed: Buffer
  /** Block that the one of the transaction follows, with the account in it. */
  readonly previous: BlockId
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
    private readonly blocks: ReplayChain,
    readonly close: () => Promise<void>,
  ) {}

  /** `roundTripMs`: time that a lite server takes to answer; default: none. */
  static async start({ roundTripMs }: { readonly roundTripMs?: number } = {}): Promise<ChainUnderEmulation> {
    const replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
    const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
    const [near] = liteServers
    const link = roundTripMs === undefined ? undefined : await openSlowLink({ ...near!, roundTripMs })
    const servers = link ? [{ ...near!, host: '127.0.0.1', port: link.port }] : liteServers
    const pool = new LiteServerPool({ servers, zeroState: zeroState! })
    const tvm = new TvmPool({ threads: 1, timeoutMs: 20_000 })
    const node = createNodeAccess({ pool, tvm, untrustedTvm: tvm, anchor: zeroState })
    const chain = new ChainUnderEmulation(node, tvm, replay.chain, async () => {
      await pool.close()
      await tvm.close()
      link?.close()
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

  /**
   * The account before a recorded transaction: as the block before left it, or as an earlier transaction of
   * the same block did, if that was emulated.
   */
  async accountBefore({ transaction, previous }: Recorded): Promise<AccountView | undefined> {
    const { account, stateHashBefore } = transaction
    const state = loadShardState((await this.blocks.state(previous)).slice())
    const found = findShardAccount(state, account.hash)
    const view = readAccount(found?.account.preloadRefCell(), found)
    const isThis = view.hash.equals(stateHashBefore)
    return isThis ? view : this.emulated.get(stateHashBefore.toString('latin1'))
  }

  /** Accounts after emulated transactions, by hash. */
  private readonly emulated = new Map<string, AccountView>()

  keep({ after }: EmulatedTransaction): void {
    this.emulated.set(after.hash.toString('latin1'), after)
  }

  private async read(): Promise<void> {
    for await (const { raw, mcBlockSeqno, batch } of fixtureChain()) {
      const messages = byHash(raw.flatMap((block) => externalMessages(block)))
      for (const { id, header, transactions } of [...batch.shards, batch.masterchain])
        for (const transaction of transactions) {
          const { inMsg } = transaction
          if (!inMsg) continue
          const external = messages.get(inMsg.hash.toString('latin1'))
          const previous = predecessor(this.blocks.block(id).prev, transaction.account)
          const recorded = { transaction, mcBlockSeqno, seed: header.randSeed, external, previous }
          this.byMessage.set(inMsg.hash.toString('latin1'), recorded)
          if (external) this.externals.push({ ...recorded, external })
        }
    }
  }
}

/** After a merge, the one of two that had the account. */
const predecessor = (previous: readonly BlockId[], { workchain, hash }: RawAddress): BlockId =>
  previous.find(
    ({ shard }) => workchain === MASTERCHAIN || shardContainsPrefix(shard, hash.readBigUInt64BE(0)),
  )!

const byHash = (messages: readonly Cell[]): ReadonlyMap<string, Cell> =>
  new Map(messages.map((message) => [message.hash().toString('latin1'), message]))
