import type { Slice } from '@shardwalk/cells'
import { parseBoc } from '@shardwalk/cells'
import { EVAA, JETTON, JVAULT, STONFI_V1, STONFI_V2, TONCO } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress } from './body.ts'
import { type Block, breadthFirst } from './core/block.ts'
import { type ContractFacts, factsOf } from './facts.ts'
import { readNotification, readTransferRequest } from './protocols/jettons.ts'
import { readLockWallet, readStakeWallet } from './protocols/jvault.ts'
import { walletsOfOrder } from './protocols/stonfi-v2.ts'
import { readPayTo } from './protocols/tonco.ts'
import type { Address } from './trace.ts'
import { requestedByWallet } from './wallet-external.ts'

/** Whose facts the classifier will ask for. */
export interface FactsWanted {
  readonly accounts: ReadonlySet<Address>
  /** Accounts whose data cell it reads. */
  readonly data: ReadonlySet<Address>
}

/**
 * The accounts of the tree's transactions and those named inside bodies only; and what their known facts lead
 * to.
 */
export function factsOfTree(root: Block, known: ContractFacts): FactsWanted {
  const accounts = new Set<Address>()
  const data = new Set<Address>()
  const want = (address: Address | null | undefined, into = accounts): void => {
    if (address) into.add(address)
  }
  for (const block of breadthFirst(root)) {
    if (block === root) continue
    want(block.node.transaction.account)
    for (const address of attempt(() => namedBy(block)) ?? []) want(address)
    if (block.opcode === JVAULT.unstakeJettons || block.opcode === JVAULT.unstakeRequest)
      want(block.destination, data)
  }
  for (const address of accounts) want(factsOf(known, address).nftAuction?.nft)
  for (const wallet of [...data]) {
    const pool = attempt(() => readStakeWallet(need(known, wallet)).pool)
    want(pool, data)
    want(attempt(() => readLockWallet(need(known, pool ?? ''))))
  }
  return { accounts, data }
}

function need(known: ContractFacts, address: Address): Slice {
  const bag = parseBoc(factsOf(known, address).data ?? Buffer.alloc(0), { verifyCrc: false })
  return bag.slice(bag.root)
}

/** Addresses that only the body of this block's message knows. */
function namedBy(block: Block): (Address | null | undefined)[] {
  if (block.node.kind === 'message' && block.source === null) return namedByExternal(block)
  switch (block.opcode) {
    case JETTON.transfer: {
      const { destination, payload } = readTransferRequest(block)
      return [destination, ...(payload ? namedByPayload(payload.opcode, payload.afterOpcode()) : [])]
    }
    case JETTON.transferNotification: {
      const { payload } = readNotification(block)
      return payload ? namedByPayload(payload.opcode, payload.afterOpcode()) : []
    }
    case STONFI_V1.swap: {
      const body = bodyAfterQuery(block)
      return [loadAddress(body), loadAddress(body)]
    }
    case STONFI_V1.payTo: {
      const body = bodyAfterQuery(block)
      loadAddress(body)
      return loadTokens(body.skip(32).loadRefSlice())
    }
    case STONFI_V2.swap:
      return walletsOfOrder(block)
    case STONFI_V2.payTo: {
      const body = bodyAfterQuery(block)
      for (let i = 0; i < 3; i++) loadAddress(body)
      if (body.skip(32).loadBit()) body.skipRefs(1)
      const tokens = body.loadRefSlice()
      tokens.loadCoins()
      return loadTokens(tokens)
    }
    case TONCO.payTo:
      return readPayTo(block).coins?.map(({ wallet }) => wallet) ?? []
    default:
      return []
  }
}

/** `amount0:Coins token0:Addr amount1:Coins token1:Addr`. */
function loadTokens(slice: Slice): (Address | null)[] {
  slice.loadCoins()
  const first = loadAddress(slice)
  slice.loadCoins()
  return [first, loadAddress(slice)]
}

function namedByPayload(opcode: number | undefined, payload: Slice): (Address | null)[] {
  if (opcode === TONCO.swap) return toncoChain(payload)
  if (opcode === EVAA.supply) return [loadAddress(payload.skip(2))]
  if (opcode === STONFI_V1.swap || opcode === STONFI_V2.swap || opcode === TONCO.fundAccount)
    return [loadAddress(payload)]
  return []
}

/** `target_wallet:Addr price_limit:160 min_out:Coins recipient:Addr next:(Maybe ^payload)`. */
function toncoChain(payload: Slice): (Address | null)[] {
  const wallets: (Address | null)[] = []
  for (let step: Slice | undefined = payload; step; ) {
    const current: Slice = step
    wallets.push(loadAddress(current))
    step = attempt(() => {
      current.skip(160).loadCoins()
      loadAddress(current)
      const next = current.loadMaybeRefSlice()
      return next && next.remainingBits >= 32 && next.preloadUint(32) === TONCO.swap ? next.skip(32) : next
    })
  }
  return wallets
}

/** Destinations that a wallet was asked to send to, and recipients of its jettons. */
function namedByExternal({ node }: Block): (Address | null | undefined)[] {
  if (node.children.length > 0) return []
  return requestedByWallet(node).flatMap((ghost) => {
    const { destination, opcode } = ghost.message
    if (opcode !== JETTON.transfer) return [destination]
    const receiver = attempt(() => {
      const body = ghost.body().skip(32 + 64)
      body.loadCoins()
      return loadAddress(body)
    })
    return [destination, receiver]
  })
}
