import { Builder, type Cell } from '@shardwalk/cells'

/**
 * `Hashmap keyBits X` of 2^forks leaves in some tens of cells: both branches of each fork are one cell. The
 * leaves share their first key bits, zeros. `value`: writes the value of every leaf.
 */
export function sharedForks(keyBits: number, forks: number, value: (leaf: Builder) => Builder): Cell {
  let edge = value(new Builder().storeUint(0, 2)).endCell()
  for (let made = 1; made < forks; made++) edge = fork(new Builder().storeUint(0, 2), edge)
  const zeros = keyBits - forks
  // hml_same$11 with bit 0, and the length in as many bits as a label of that many bits needs.
  const label = new Builder().storeUint(0b110, 3).storeUint(zeros, 32 - Math.clz32(keyBits))
  return fork(label, edge)
}

const fork = (label: Builder, branch: Cell): Cell => label.storeRef(branch).storeRef(branch).endCell()
