import { Block, breadthFirst, byLt, link } from '../core/block.ts'
import type { DexDepositData } from '../row.ts'
import { type CpmmDeposit, joinCpmmDeposits } from './dedust-cpmm-deposit.ts'
import { type DedustDeposit, dedustDepositOf, depositColumns } from './dedust-deposit.ts'

/** The types of the two halves of a deposit, and what they are together. */
interface Halves {
  readonly first: string
  readonly final: string
  readonly join: (first: Block, final: Block) => DedustDeposit | undefined
}

const KINDS: readonly Halves[] = [
  {
    first: 'dedust_deposit_liquidity_partial',
    final: 'dedust_deposit_liquidity',
    join: (first, final) => mergeData(dedustDepositOf(first), dedustDepositOf(final)),
  },
  {
    first: 'dedust_v2_deposit_liquidity_partial',
    final: 'dedust_v2_deposit_liquidity',
    join: (first, final) => joinCpmmDeposits(first.data as CpmmDeposit, final.data as CpmmDeposit),
  },
]

/**
 * Joins the two halves of a deposit that one trace sent to one deposit contract. Contradicting halves stay
 * separate.
 */
export function mergeDedustDeposits(root: Block): void {
  for (const kind of KINDS)
    for (const blocks of byContract(root, kind)) {
      const first = blocks.find(({ type }) => type === kind.first)
      const final = blocks.find(({ type }) => type === kind.final)
      if (blocks.length !== 2 || !first || !final) continue
      const merged = kind.join(first, final)
      if (merged) replace(first, final, merged)
    }
}

function byContract(root: Block, { first, final }: Halves): IterableIterator<Block[]> {
  const found = new Map<string, Block[]>()
  for (const block of breadthFirst(root)) {
    if (block.type !== first && block.type !== final) continue
    const contract = dedustDepositOf(block).contract ?? ''
    found.set(contract, [...(found.get(contract) ?? []), block])
  }
  return found.values()
}

/** Undefined when both have the same asset, or their targets are for other assets. */
function mergeData(first: DedustDeposit, final: DedustDeposit): DedustDeposit | undefined {
  const [one, two] = [first.deposit, final.deposit]
  if (one.asset1 === two.asset1) return undefined
  const targets = targetsFor(one.asset1, two)
  if (!targets || targets.target_asset_2 !== two.asset1) return undefined
  const deposit: DexDepositData = {
    ...two,
    ...targets,
    asset1: one.asset1,
    amount1: one.amount1,
    user_jetton_wallet_1: one.user_jetton_wallet_1,
    asset2: two.asset1,
    amount2: two.amount1,
    user_jetton_wallet_2: two.user_jetton_wallet_1,
  }
  return { ...final, deposit }
}

/** Targets, with that of `asset` first. */
function targetsFor(asset: string | null, deposit: DexDepositData) {
  const { target_asset_1, target_asset_2, target_amount_1, target_amount_2 } = deposit
  if (target_asset_1 === asset) return { target_asset_1, target_asset_2, target_amount_1, target_amount_2 }
  if (target_asset_2 !== asset) return undefined
  return {
    target_asset_1: target_asset_2,
    target_asset_2: target_asset_1,
    target_amount_1: target_amount_2,
    target_amount_2: target_amount_1,
  }
}

/** Replaces the final half by one block; blocks below the first half move to where that half was. */
function replace(first: Block, final: Block, data: DedustDeposit): void {
  const nodes = [...new Set([...first.nodes, ...final.nodes])].sort((a, b) => (a.lt < b.lt ? -1 : 1))
  const merged = new Block(
    final.type,
    nodes,
    [...first.children, ...final.children],
    [...first.initiators, ...final.initiators],
    {
      action: final.action,
      failed: final.failed,
      data,
      columns: () => depositColumns(data),
    },
  )
  for (const block of [first, final]) block.absorbedBy = merged
  const above = final.previous === first ? first.previous : final.previous
  const parents = new Set([first.previous, final.previous, above])
  if (!above) return
  for (const child of first.next)
    if (child !== final) link(first.previous === final ? merged : (first.previous ?? above), child)
  for (const child of final.next) if (child !== first) link(merged, child)
  merged.next.sort(byLt)
  link(above, merged)
  for (const parent of parents) {
    const kept = parent?.next.filter((block) => block !== first && block !== final).sort(byLt) ?? []
    parent?.next.splice(0, parent.next.length, ...kept)
  }
}
