import { Builder, buildDict, type Cell, parseBoc, prunedBranch, serializeBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { loadStateAfter } from '../src/index.ts'

const codeOf = (n: number): Cell => new Builder().storeUint(n, 32).endCell()
const [POPULAR, OWN, HIDDEN, FOREIGN] = [1, 2, 3, 4].map(codeOf) as [Cell, Cell, Cell, Cell]

/** block.tlb `simple_lib$_ public:Bool root:^Cell`. */
const entry = (key: Cell, root: Cell, isPublic = true) =>
  [key.hash(), new Builder().storeBit(isPublic).storeRef(root)] as const

/** An active account as any message may deploy it; read from a file and from memory. */
function stateWith(libraries: Cell) {
  const account = new Builder()
    .storeBit(true)
    .storeAddress({ workchain: 0, hash: Buffer.alloc(32, 7) })
    .storeVarUint(3n, 3)
    .storeVarUint(700n, 3)
    .storeUint(0, 3 + 32 + 1)
    .storeUint(5n, 64)
    .storeCoins(10n ** 9n)
    .storeBit(false)
    .storeUint(0b100, 3)
    .storeMaybeRef(OWN)
    .storeMaybeRef(codeOf(9))
    .storeMaybeRef(libraries)
    .endCell()
  const bag = parseBoc(serializeBoc(account), { allowLevel: true })
  const state = loadStateAfter(bag.slice(bag.root))
  expect(loadStateAfter(account.slice())).toEqual(state)
  return state
}

test('a library under the hash of another code does not pass for that code', () => {
  const { libraries } = stateWith(buildDict([entry(POPULAR, FOREIGN), entry(OWN, OWN)], 256)!)
  expect(libraries).toEqual([{ hash: OWN.hash(), code: serializeBoc(OWN) }])
})

test('a library that is not public is none', () => {
  expect(stateWith(buildDict([entry(HIDDEN, HIDDEN, false)], 256)!).libraries).toEqual([])
})

test('a state is read whatever its cell of libraries holds', () => {
  const state = stateWith(new Builder().storeUint(0b10, 2).endCell())
  expect(state).toMatchObject({ status: 'active', balance: 10n ** 9n, libraries: [] })
  expect(state.codeHash).toEqual(OWN.hash())
  const library = new Builder().storeUint(2, 8).storeBytes(OWN.hash()).endCell({ exotic: true })
  expect(stateWith(library)).toMatchObject({ status: 'active', libraries: [] })
})

test('256 cells that describe more libraries than there are atoms are answered at once', () => {
  let edge = new Builder().storeUint(0, 2).storeBit(true).storeRef(OWN).endCell()
  for (let level = 0; level < 256; level++)
    edge = new Builder().storeUint(0, 2).storeRef(edge).storeRef(edge).endCell()
  expect(stateWith(edge).libraries).toEqual([])
})

test('the same if a block shows none of them: what it prunes may have been anywhere before', () => {
  let edge = prunedBranch(codeOf(5), 1)
  for (let level = 0; level < 200; level++)
    edge = new Builder().storeUint(0, 2).storeRef(edge).storeRef(edge).endCell()
  expect(stateWith(edge).libraries).toEqual([])
})
