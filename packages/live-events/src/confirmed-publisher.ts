import { toStateAfterReply } from '@shardwalk/api-schema'
import { ACCOUNT_STATUS, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { Pending } from '@shardwalk/pending'
import {
  type BlockListener,
  type ConfirmedBlock,
  type ConfirmedBlocks,
  type ConfirmedChanges,
  type ConfirmedState,
  type ConfirmedWallet,
  confirmedChanges,
  type SignedBlock,
} from '@shardwalk/pending'
import { findAccountStates, jettonWalletsAmong, replacedBlocks } from '@shardwalk/queries'
import { AccountNumbers, jettonWalletText, type RenderContext } from '@shardwalk/replies'
import type { EventHub, JettonEvent, StateEvent } from '@shardwalk/streaming'
import type { BlockFollower } from './block-follower.ts'
import { walletPorts } from './confirmed-wallets.ts'
import { publishWallets } from './event-reader.ts'
import type { EventServices } from './event-services.ts'

/** Time in which a published block, or another one in its place, becomes final. Milliseconds. */
const UNCERTAIN_MS = 60_000
/** Blocks that wait to be published; more come only if the database does not answer. */
const MAX_WAITING = 64

/** Where signed blocks come from, and where their events go. */
export interface PublisherOptions {
  readonly services: EventServices
  readonly hub: EventHub
  readonly follower: Pick<BlockFollower, 'inTurn' | 'complete'>
  readonly pending: Pick<Pending, 'listen'>
  /** Monotonic milliseconds. Default: the process's clock. */
  readonly now?: () => number
}

/** A block that was published and may not be final yet. */
interface PublishedBlock {
  readonly id: ConfirmedBlock
  readonly accounts: readonly RawAddress[]
  readonly at: number
}

/** Publishes what signed blocks do to accounts and jetton wallets, before the masterchain commits them. */
export class ConfirmedPublisher implements BlockListener {
  /** lt of what was published as confirmed, by subject, the oldest first. */
  private readonly published = new Map<string, { readonly lt: bigint; readonly at: number }>()
  private uncertain: PublishedBlock[] = []
  private lane: Promise<void> = Promise.resolve()
  private waiting = 0
  private readonly now: () => number
  /** Where signed blocks come from; it is notified of those that other blocks have replaced. */
  private readonly blocks: ConfirmedBlocks | undefined

  constructor(private readonly options: PublisherOptions) {
    this.now = options.now ?? (() => performance.now())
    this.blocks = options.pending.listen(this)
  }

  isListening(): boolean {
    const { subscribers } = this.options.hub
    const isWanted = subscribers.wants('account_state_change') || subscribers.wants('jettons_change')
    return isWanted && subscribers.wantsUncertain
  }

  /** Blocks are read one after the other. */
  take(block: SignedBlock): void {
    if (!this.isListening() || this.waiting >= MAX_WAITING) return
    this.waiting++
    this.lane = this.lane
      .then(() => this.read(block))
      .catch((error: unknown) =>
        this.options.services.log.debug('a signed block was not published', { error }),
      )
      .finally(() => this.waiting--)
  }

  private async read(block: SignedBlock): Promise<void> {
    const { services, hub, follower } = this.options
    const { subscribers } = hub
    const context = await services.context()
    const changes = await confirmedChanges(block, {
      isWatched: (account) => subscribers.hasAddress(account),
      wallets: subscribers.wants('jettons_change') ? walletPorts(context, services.node) : undefined,
    })
    if (changes.states.length + changes.wallets.length === 0) return
    // Not earlier, so that slow servers do not delay the follower.
    follower.inTurn(() => this.publish(block.id, changes))
  }

  private async publish(id: ConfirmedBlock, { states, wallets }: ConfirmedChanges): Promise<void> {
    const { services, hub } = this.options
    const accounts = [...states.map(({ account }) => account), ...wallets.map(({ wallet }) => wallet)]
    const final = await finalLts(await services.context(), accounts)
    const isNewer = (kind: string, account: RawAddress, lt: bigint) => {
      const raw = formatRawAddress(account)
      return (final.get(raw) ?? -1n) < lt && this.remember(`${kind} ${raw}`, lt)
    }
    for (const one of states) if (isNewer('state', one.account, one.lt)) await hub.publish(stateEvent(one))
    for (const one of wallets) if (isNewer('wallet', one.wallet, one.lt)) await hub.publish(walletEvent(one))
    this.uncertain.push({ id, accounts, at: this.now() })
  }

  /** Whether it is newer than what was published. */
  private remember(subject: string, lt: bigint): boolean {
    const now = this.now()
    for (const [key, { at }] of this.published) {
      if (now - at < UNCERTAIN_MS) break
      this.published.delete(key)
    }
    if ((this.published.get(subject)?.lt ?? -1n) >= lt) return false
    this.published.delete(subject)
    this.published.set(subject, { lt, at: now })
    return true
  }

  /**
   * Call when blocks have become final. If published blocks were replaced by others, publishes the final
   * states of their accounts.
   */
  async settle(): Promise<void> {
    if (this.uncertain.length === 0) return
    const context = await this.options.services.context()
    const blocks = this.uncertain.map(({ id }) => id)
    const names = new Set((await replacedBlocks(context.db, blocks)).map((hash) => hash.toString('base64')))
    const isLost = ({ id }: PublishedBlock) => names.has(id.rootHash.toString('base64'))
    const lost = this.uncertain.filter(isLost)
    const now = this.now()
    this.uncertain = this.uncertain.filter((one) => !isLost(one) && now - one.at < UNCERTAIN_MS)
    if (lost.length === 0) return
    this.blocks?.replaced(lost.map(({ id }) => id))
    await this.correct(
      context,
      lost.flatMap(({ accounts }) => accounts),
    )
  }

  private async correct(context: RenderContext, accounts: readonly RawAddress[]): Promise<void> {
    const { hub, follower } = this.options
    for (const raw of accounts.map(formatRawAddress))
      for (const kind of ['state', 'wallet']) this.published.delete(`${kind} ${raw}`)
    const { db } = context
    const ids = await context.accounts.idsOf(db, accounts)
    const after = follower.complete
    const directory = await context.accounts.load(db, ids, { states: false })
    for (const row of await findAccountStates(db, { ids, bocs: false, limit: ids.length })) {
      const { raw: account } = directory.get(row.account_id)
      const state = toStateAfterReply({
        state_hash_after: row.state_hash,
        balance_after: row.balance,
        code_hash_after: row.code_hash,
        data_hash_after: row.data_hash,
        frozen_hash_after: row.frozen_hash,
        extra_currencies_after: row.extra_currencies,
        end_status: row.status,
      })
      await hub.publish({ kind: 'account_state_change', finality: 'finalized', account, state, after })
    }
    const sink = {
      context,
      after,
      fromLt: 0n,
      publish: hub.publish.bind(hub),
      isWatched: (account: string) => hub.subscribers.hasAddress(account),
      isTraceWatched: () => false,
    }
    await publishWallets(sink, await jettonWalletsAmong(db, ids))
  }
}

/** lt of the accounts' last indexed transactions, by raw address. */
async function finalLts(
  { accounts: cache, db }: RenderContext,
  accounts: readonly RawAddress[],
): Promise<ReadonlyMap<string, bigint>> {
  const ids = await cache.idsOf(db, accounts)
  const directory = await cache.load(db, ids, { states: false })
  const rows = await findAccountStates(db, { ids, bocs: false, limit: ids.length })
  return new Map(rows.map((row) => [directory.get(row.account_id).raw, row.lt]))
}

function stateEvent({ account, hash, state }: ConfirmedState): StateEvent {
  const { status, balance, codeHash, dataHash, frozenHash, extraCurrencies } = state
  const row = {
    state_hash_after: hash,
    balance_after: balance,
    code_hash_after: codeHash ?? null,
    data_hash_after: dataHash ?? null,
    frozen_hash_after: frozenHash ?? null,
    extra_currencies_after: extraCurrencies ? textsOf(extraCurrencies) : null,
    end_status: ACCOUNT_STATUS.indexOf(status),
  }
  return {
    kind: 'account_state_change',
    finality: 'confirmed',
    account: formatRawAddress(account),
    state: toStateAfterReply(row),
  }
}

const textsOf = (amounts: NonNullable<ConfirmedState['state']['extraCurrencies']>) =>
  Object.fromEntries([...amounts].map(([id, amount]) => [String(id), String(amount)]))

function walletEvent({ lt, balance, codeHash, dataHash, ...of }: ConfirmedWallet): JettonEvent {
  const numbers = new AccountNumbers()
  const row = {
    account_id: numbers.idOf(of.wallet),
    owner_id: numbers.idOf(of.owner),
    jetton_id: numbers.idOf(of.master),
    lt,
    balance: String(balance),
    code_hash: codeHash ?? null,
    data_hash: dataHash ?? null,
  }
  return {
    kind: 'jettons_change',
    finality: 'confirmed',
    wallet: formatRawAddress(of.wallet),
    owner: formatRawAddress(of.owner),
    master: formatRawAddress(of.master),
    jetton: jettonWalletText(row, (id) => numbers.get(id).raw),
  }
}
