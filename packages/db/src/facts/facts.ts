import type { AccountFacts, Address, ContractFacts, OpenTrace } from '@shardwalk/actions'

/** Facts lead to more facts: a stake wallet names its pool, an auction its item. */
const ROUNDS = 3

/** Reads facts about accounts: of those that have any. `withData`: whose data cells are wanted as well. */
export type ReadFacts = (
  addresses: readonly Address[],
  withData: ReadonlySet<Address>,
) => Promise<ReadonlyMap<Address, AccountFacts>>

/** Facts that need not be read. */
export interface KnownFacts {
  /** Facts from elsewhere, which lead to others. */
  readonly facts: ReadonlyMap<Address, AccountFacts>
  /** Accounts whose facts are complete: the tables are not read for them. */
  readonly settled: ReadonlySet<Address>
}

const NOTHING_KNOWN: KnownFacts = { facts: new Map(), settled: new Set() }

/** What the tables hold about the contracts that classification of the traces will ask for. */
export async function loadFacts(
  read: ReadFacts,
  traces: readonly OpenTrace[],
  known: KnownFacts = NOTHING_KNOWN,
): Promise<ReadonlyMap<Address, AccountFacts>> {
  const facts = new Map<Address, AccountFacts>(known.facts)
  const asked = new Set<Address>(known.settled)
  let open = traces
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    const wanted = open.map((trace) => trace.factsWanted(facts))
    const data = new Set(wanted.flatMap((want) => [...want.data]))
    const isFresh = (address: Address) =>
      !asked.has(address) || (data.has(address) && !facts.get(address)?.data)
    const fresh = new Set<Address>()
    for (const want of wanted)
      for (const list of [want.accounts, want.data])
        for (const address of list) if (isFresh(address)) fresh.add(address)
    if (fresh.size === 0) break
    for (const address of fresh) asked.add(address)
    for (const [address, found] of await read([...fresh], data))
      facts.set(address, { ...facts.get(address), ...found })
    // The others have all the facts that they can ask for.
    open = open.filter((_, index) => leadsOn(wanted[index]!, facts))
  }
  return facts
}

const leadsOn = ({ accounts, data }: ReturnType<OpenTrace['factsWanted']>, facts: ContractFacts): boolean =>
  data.size > 0 || [...accounts].some((address) => facts.get(address)?.nftAuction?.nft != null)
