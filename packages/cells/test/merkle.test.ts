import { Cell as CoreCell, exoticMerkleUpdate } from '@ton/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyMerkleUpdate,
  Builder,
  bagMerkleProof,
  buildDict,
  CELL,
  type Cell,
  createMerkleProof,
  createMerkleUpdate,
  dictDelete,
  dictSet,
  openMerkleProof,
  parseBoc,
  serializeBoc,
} from '../src/index.ts'
import { blockIndex, filesIn, fixture } from './fixtures.ts'

test.each(filesIn('proofs').filter((file) => file.includes('config_proof')))(
  '%s opens to the tree it proves',
  (file) => {
    const bag = parseBoc(fixture(file))
    const proof = bag.cell(bag.root)
    const child = bagMerkleProof(bag, bag.root)
    const tree = openMerkleProof(proof, bag.hash(child, 0))
    expect(tree.hash(0)).toEqual(bag.hash(child, 0))
    expect(() => openMerkleProof(proof, Buffer.alloc(32))).toThrow(/merkle_proof.hash: proves/)
  },
)

const bag54302203 = parseBoc(fixture('mainnet_0_a000000000000000_54302203.boc'))
const block = bag54302203.cell(bag54302203.root)

test.each([
  ['the block, its Merkle update included', block],
  ['the block extra', block.refs[3]!],
])('a proof made of any part proves %s', (_name, root) => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), (keep) => {
      const proof = createMerkleProof(root, (cell) => cell === root || cell.hash()[5]! % keep !== 0)
      expect(openMerkleProof(proof, root.hash()).hash(0)).toEqual(root.hash())
      const bytes = serializeBoc(proof)
      const again = parseBoc(bytes)
      expect(again.hash(bagMerkleProof(again, again.root, root.hash()), 0)).toEqual(root.hash())
      // @ton/core reads level-1 branches only, so it checks the tree without an update inside.
      if (root !== block) expect(CoreCell.fromBoc(bytes)[0]!.hash()).toEqual(proof.hash())
    }),
    { numRuns: 8 },
  )
})

test('a proof with a modified child neither opens nor hashes', () => {
  const tree = (n: number) => new Builder().storeRef(new Builder().storeUint(n, 32).endCell()).endCell()
  const proof = createMerkleProof(tree(1), () => true)
  const forged = { storage: new Builder().storeCell(proof).endCell() }
  const data = forged.storage.data
  const cell = () => new Builder().storeBytes(data).storeRef(tree(2)).endCell({ exotic: true })
  expect(cell).toThrow(/Merkle cell does not match its child 0/)
  const bytes = serializeBoc(proof)
  bytes[bytes.length - 1]! ^= 1
  const bag = parseBoc(bytes)
  expect(() => bag.hash(bag.root)).toThrow(/Merkle cell does not match its child 0/)
  expect(() => bagMerkleProof(bag, bag.root)).toThrow(/merkle_proof.hash: does not match/)
})

test.each(blockIndex())('the state update of $file has the hashes of both its trees', ({ file }) => {
  const bag = parseBoc(fixture(file))
  const update = bag.cell(bag.ref(bag.root, 2))
  expect(update.type).toBe(CELL.merkleUpdate)
  expect(update.data.subarray(1, 33)).toEqual(update.refs[0]!.hash(0))
  expect(update.data.subarray(33, 65)).toEqual(update.refs[1]!.hash(0))
})

/** A dictionary whose leaves have subtrees, so that there is something to prune. */
const leaf = (v: number): Builder =>
  new Builder()
    .storeUint(v, 16)
    .storeRef(new Builder().storeUint(v, 32).storeRef(new Builder().storeUint(v, 8).endCell()).endCell())
const state = (keys: readonly number[]): Cell =>
  new Builder()
    .storeUint(1, 32)
    .storeMaybeRef(
      buildDict(
        keys.map((k) => [k, leaf(k % 200)] as const),
        16,
      ),
    )
    .endCell()

test('an update applied to the old tree gives the new one and shares unchanged parts', () => {
  const keys = fc.uniqueArray(fc.nat({ max: 65535 }), { minLength: 2, maxLength: 50 })
  fc.assert(
    fc.property(keys, fc.nat({ max: 65535 }), (list, extra) => {
      const old = state(list)
      const dict = dictSet(dictDelete(old.refs[0], 16, list[0]!), 16, extra, leaf(201))
      const next = new Builder().storeUint(2, 32).storeMaybeRef(dict).endCell()
      const update = createMerkleUpdate(old, next)
      expect(
        exoticMerkleUpdate(
          CoreCell.fromBoc(serializeBoc(update))[0]!.bits,
          CoreCell.fromBoc(serializeBoc(update))[0]!.refs,
        ).proofHash2,
      ).toEqual(next.hash())
      const applied = applyMerkleUpdate(old, update)
      expect(applied.hash()).toEqual(next.hash())
      expect(applied.levelMask).toBe(0)
      expect(() => applyMerkleUpdate(next, update)).toThrow(/merkle_update.old: starts from/)
    }),
    { numRuns: 60 },
  )
})
