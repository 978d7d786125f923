import { KnownCells } from '@shardwalk/blocks'
import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import {
  type DatabaseHandle,
  type HiddenCurrencies,
  listHiddenCurrencies,
  postponeHiddenCurrencies,
  storeFoundCurrencies,
} from '@shardwalk/db'
import { type ExtraCurrencies, extraCurrencyTexts, formatRawAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { buildExtraCurrencies, loadExtraCurrenciesDict } from '@shardwalk/tlb'
import type { StateSource } from './state-source.ts'

export interface CurrencyFinderOptions {
  readonly database: DatabaseHandle
  /** Undefined when the chain comes from files. */
  readonly states: StateSource | undefined
  readonly log: Logger
}

/** States of one round. */
const ROUND = 100
const POLL_MS = 1_000

/**
 * Finds the extra currencies of states whose blocks contain them in part or not at all: in other states of
 * the account, else in the state that a lite server returns for that block. A dictionary is identified by its
 * hash, so that nothing found can be wrong. May run in any number of processes.
 */
export class HiddenCurrencyFinder {
  /** `fetched`: states requested from lite servers. */
  readonly totals = { found: 0, postponed: 0, fetched: 0 }

  constructor(private readonly options: CurrencyFinderOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    await loopUntilAborted(
      async () => {
        while (!signal.aborted && (await this.round()));
        await sleep(POLL_MS, signal)
      },
      {
        signal,
        maxDelayMs: 30_000,
        onError: (error) => this.options.log.warn('extra currencies could not be completed', { error }),
      },
    )
  }

  /** Looks for one round of states that are due; false if there were none. */
  async round(): Promise<boolean> {
    const { database } = this.options
    const hidden = await listHiddenCurrencies(database.db, { limit: ROUND })
    const found: { accountId: bigint; lt: bigint; currencies: Record<string, string> }[] = []
    const missing: HiddenCurrencies[] = []
    const cells = new Map<bigint, KnownCells>()
    for (const one of hidden) {
      const known = cells.get(one.accountId) ?? new KnownCells()
      cells.set(one.accountId, known)
      const currencies = await this.find(one, known)
      if (currencies)
        found.push({ accountId: one.accountId, lt: one.lt, currencies: extraCurrencyTexts(currencies) })
      else missing.push(one)
    }
    await storeFoundCurrencies(database.pool, found)
    await postponeHiddenCurrencies(database.db, missing)
    this.totals.found += found.length
    this.totals.postponed += missing.length
    return hidden.length > 0
  }

  /** `known`: cells of earlier states of the account. */
  private async find(one: HiddenCurrencies, known: KnownCells): Promise<ExtraCurrencies | undefined> {
    for (const part of one.parts) known.add(part)
    for (const other of one.others) addCurrencies(known, fromJson(other))
    return dictOf(known, one.hash) ?? (await this.fetch(one, known))
  }

  private async fetch(
    { address, mcBlock, hash }: HiddenCurrencies,
    known: KnownCells,
  ): Promise<ExtraCurrencies | undefined> {
    const { states, log } = this.options
    if (!states || !mcBlock) return undefined
    this.totals.fetched++
    try {
      const fetched = await states.account(address, mcBlock)
      if (fetched?.state.extraCurrencies) addCurrencies(known, fetched.state.extraCurrencies)
      return dictOf(known, hash)
    } catch (error) {
      log.warn('no state for extra currencies', { account: formatRawAddress(address), error })
      return undefined
    }
  }
}

function addCurrencies(known: KnownCells, currencies: ExtraCurrencies): void {
  const root = buildExtraCurrencies(currencies)
  if (root) known.addTree(root)
}

/** Undefined while some of its cells are unknown. */
function dictOf(known: KnownCells, hash: Buffer): ExtraCurrencies | undefined {
  const root = known.tree(hash)
  return root?.levelMask === 0 ? loadExtraCurrenciesDict(root.slice()) : undefined
}

const fromJson = (json: Readonly<Record<string, string>>): ExtraCurrencies =>
  new Map(Object.entries(json).map(([id, amount]) => [Number(id), BigInt(amount)]))
