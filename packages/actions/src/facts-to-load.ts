import type { Slice } from '@shardwalk/cells'
import { parseBoc } from '@shardwalk/cells'
import {
  DEDUST,
  DEDUST_BODIES,
  EVAA,
  EVAA_BODIES,
  JETTON,
  JETTON_BODIES,
  JVAULT,
  JVAULT_DATA,
  STONFI_V1,
  STONFI_V1_BODIES,
  STONFI_V2,
  STONFI_V2_BODIES,
  stonfiV2Route,
  TONCO,
  TONCO_BODIES,
} from '@shardwalk/contracts'
import { attempt, bodyOf, fieldsOf } from './body.ts'
import { type Block, breadthFirst } from './core/block.ts'
import { type ContractFacts, factsOf } from './facts.ts'
import { readNotification, readTransferRequest } from './protocols/jettons.ts'
import type { Address } from './trace.ts'
import { requestedByWallet } from './wallet-external.ts'

/** Accounts whose facts the classifier will ask for. */
export interface FactsWanted {
  readonly accounts: ReadonlySet<Address>
  /** Accounts whose data cell it needs. */
  readonly data: ReadonlySet<Address>
}

/**
 * Accounts of the tree's transactions, senders whose transaction is missing, those that only bodies
 * refer to, and those that their known facts refer to.
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
    want(block.source)
    for (const address of attempt(() => namedBy(block)) ?? []) want(address)
    if (block.opcode === JVAULT.unstakeJettons || block.opcode === JVAULT.unstakeRequest)
      want(block.destination, data)
  }
  for (const address of accounts) want(factsOf(known, address).nftAuction?.nft)
  for (const wallet of [...data]) {
    const pool = attempt(() => JVAULT_DATA.stakeWallet(need(known, wallet)).pool_address)
    want(pool, data)
    want(attempt(() => JVAULT_DATA.pool(need(known, pool ?? '')).lock_wallet_address))
  }
  return { accounts, data }
}

function need(known: ContractFacts, address: Address): Slice {
  const bag = parseBoc(factsOf(known, address).data ?? Buffer.alloc(0), { verifyCrc: false })
  return bag.slice(bag.root)
}

/** Addresses that occur only in the body of this block's message. */
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
    case DEDUST.swap: {
      const body = bodyOf(block)
      DEDUST_BODIES.swap(body)
      return dedustRoute(body)
    }
    case STONFI_V1.swap: {
      const { to_address, sender_address } = fieldsOf(block, STONFI_V1_BODIES.swapWallets)
      return [to_address, sender_address]
    }
    case STONFI_V1.payTo:
      return tokensOf(fieldsOf(block, STONFI_V1_BODIES.payTo).params)
    case STONFI_V2.swap:
      return fieldsOf(block, stonfiV2Route)
    case STONFI_V2.payTo:
      return tokensOf(fieldsOf(block, STONFI_V2_BODIES.payTo))
    case TONCO.payTo: {
      const { coinsinfo_cell: coins } = fieldsOf(block, TONCO_BODIES.payTo)
      return coins ? [coins.jetton0_address, coins.jetton1_address] : []
    }
    default:
      return []
  }
}

const tokensOf = (paid: {
  readonly token0_address: Address | null
  readonly token1_address: Address | null
}): (Address | null)[] => [paid.token0_address, paid.token1_address]

function namedByPayload(opcode: number | undefined, payload: Slice): (Address | null)[] {
  if (opcode === DEDUST.swapPayload) return dedustRoute(payload)
  if (opcode === TONCO.swap) return toncoChain(payload)
  if (opcode === EVAA.supply) return [EVAA_BODIES.supplyPayload(payload).recipient_address]
  if (opcode === STONFI_V1.swap) return [STONFI_V1_BODIES.swapPayloadWallet(payload).token_wallet]
  if (opcode === STONFI_V2.swap) return [STONFI_V2_BODIES.swapPayload(payload).token_wallet1]
  if (opcode === TONCO.fundAccount) return [TONCO_BODIES.fundAccountPayload(payload).other_jetton_wallet]
  return []
}

/** Pools of the requested route, as far as it can be read: a swap may end before the last of them. */
function dedustRoute(first: Slice): (Address | null)[] {
  const pools: (Address | null)[] = []
  for (let route: Slice | undefined = first; route; ) {
    const current: Slice = route
    const step = attempt(() => DEDUST_BODIES.step(current))
    if (step) pools.push(step.pool_addr)
    route = step?.params.next
  }
  return pools
}

/** Wallets of the steps of a swap order, as far as they can be read. */
function toncoChain(payload: Slice): (Address | null)[] {
  const wallets: (Address | null)[] = []
  for (let step: Slice | undefined = payload; step; ) {
    const current: Slice = step
    wallets.push(TONCO_BODIES.swapTarget(current.clone()).target_wallet)
    step = attempt(() => TONCO_BODIES.swapStep(current).next)
  }
  return wallets
}

/** Destinations of the messages that a wallet was asked to send, and recipients of its jettons. */
function namedByExternal({ node }: Block): (Address | null | undefined)[] {
  if (node.children.length > 0) return []
  return requestedByWallet(node).flatMap((ghost) => {
    const { destination, opcode } = ghost.message
    if (opcode !== JETTON.transfer) return [destination]
    const receiver = attempt(() => JETTON_BODIES.destination(ghost.body().skip(32)).destination)
    return [destination, receiver]
  })
}
